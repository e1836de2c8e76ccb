// Pointer, touch and keys on the picture: camera, selection, pulling and pushing.
const ZOOM = 0.06, TURN_KEY = 6, PUSH_SPEED = 1;

export function listen(canvas, page) {
  const { tell } = page, pointers = new Map();
  let drag = null, pinch = 0;

  const place = event => {
    const r = canvas.getBoundingClientRect();
    return { aspect: r.width / r.height, x: (event.clientX - r.left) / r.width, y: 1 - (event.clientY - r.top) / r.height };
  };
  const isFree = () => page.model && page.camera.type === page.model.value.mjCAMERA_FREE;

  const turn = (dx, dy) => {
    page.camera.azimuth -= 180 * dx;
    page.camera.elevation = Math.max(-90, Math.min(90, page.camera.elevation - 180 * dy));
  };
  const zoom = amount => { page.camera.distance *= Math.exp(amount); };
  const move = (dx, dy) => {
    const c = page.camera, a = c.azimuth * Math.PI / 180, e = c.elevation * Math.PI / 180;
    const scale = c.distance * 2 * Math.tan(page.model.look.fovy * Math.PI / 360);
    const right = [Math.sin(a), -Math.cos(a), 0], up = [-Math.sin(e) * Math.cos(a), -Math.sin(e) * Math.sin(a), Math.cos(e)];
    for (let k = 0; k < 3; k++) c.lookat[k] += scale * (-dx * right[k] + dy * up[k]);
  };

  // the distance of two fingers zooms, their middle moves
  const twoFingers = () => {
    const [a, b] = [...pointers.values()], distance = Math.hypot(a.x - b.x, a.y - b.y);
    if (pinch && isFree()) zoom(Math.log(pinch / distance));
    pinch = distance;
  };

  canvas.addEventListener('pointerdown', event => {
    canvas.setPointerCapture(event.pointerId);
    canvas.focus();
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    pinch = 0;
    drag = { x: event.clientX, y: event.clientY, button: event.button, isPull: (event.ctrlKey || event.metaKey || page.isPulling) && page.picked?.body > 0 };
    if (drag.isPull) tell('grip', { kind: event.button === 2 || page.isPulling ? page.model.value.mjPERT_TRANSLATE : page.model.value.mjPERT_ROTATE });
  });
  canvas.addEventListener('pointermove', event => {
    if (!drag) return;
    const h = canvas.clientHeight, dx = (event.clientX - drag.x) / h, dy = (event.clientY - drag.y) / h;
    drag.x = event.clientX;
    drag.y = event.clientY;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (pointers.size === 2) twoFingers();
    else if (drag.isPull) {
      const isMove = drag.button === 2 || page.isPulling, isFlat = event.shiftKey ? '_H' : '_V';
      tell('drag', { action: (isMove ? 'mjMOUSE_MOVE' : 'mjMOUSE_ROTATE') + isFlat, dx, dy });
    } else if (isFree()) (drag.button === 2 ? move : turn)(dx, dy);
  });
  const release = event => {
    pointers.delete(event.pointerId);
    if (drag?.isPull) tell('grip', { kind: 0 });
    drag = null;
  };
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('contextmenu', event => event.preventDefault());
  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    if (isFree()) zoom(Math.sign(event.deltaY) * ZOOM);
  }, { passive: false });
  canvas.addEventListener('dblclick', event => tell('pick', { ...place(event), camera: page.camera }));

  // away from the viewer
  const push = () => {
    if (!(page.picked?.body > 0)) return;
    const a = page.camera.azimuth * Math.PI / 180;
    tell('push', { body: page.picked.body, velocity: [PUSH_SPEED * Math.cos(a), PUSH_SPEED * Math.sin(a), 0] });
  };
  const onPicture = {
    ArrowLeft: () => turn(TURN_KEY / 180, 0), ArrowRight: () => turn(-TURN_KEY / 180, 0), ArrowUp: () => turn(0, TURN_KEY / 180), ArrowDown: () => turn(0, -TURN_KEY / 180),
    '+': () => zoom(-ZOOM), '-': () => zoom(ZOOM), p: push,
  };
  canvas.addEventListener('keydown', event => {
    const isArrow = event.key.startsWith('Arrow');
    if ((isArrow && !event.shiftKey) || event.ctrlKey || event.metaKey || !onPicture[event.key] || (event.key !== 'p' && !isFree())) return;
    onPicture[event.key]();
    event.preventDefault();
    event.stopPropagation();
  });
}
