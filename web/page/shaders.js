// Shading of the scene: OpenGL's fixed pipeline as MuJoCo's renderer uses it, but per pixel, with one shadow map, fog and
// one mirror.
export const MAX_LIGHT = 8;

export const vertex = /* glsl */`
  in vec4 iRow0, iRow1, iRow2, iColor, iMaterial, iSize;
  in vec2 iRepeat;
  in float cap;
  uniform mat4 shadowMatrix;
  uniform bool casting;
  uniform int mapping;
  out vec3 vNormal, vWorld, vCube;
  out vec4 vColor, vMaterial, vShadow, vClip;
  out vec2 vUv;

  void main() {
    // ends of a capsule are half balls, which keep their shape whatever the length is
    vec3 size = iSize.xyz;
    vec3 local = cap == 0.0 ? position * size : position * size.x + vec3(0.0, 0.0, cap * size.z);
    vec3 n = cap == 0.0 ? normal / max(size, vec3(1e-6)) : normal;
    vWorld = vec3(dot(iRow0.xyz, local), dot(iRow1.xyz, local), dot(iRow2.xyz, local)) + vec3(iRow0.w, iRow1.w, iRow2.w);
    vNormal = vec3(dot(iRow0.xyz, n), dot(iRow1.xyz, n), dot(iRow2.xyz, n));
    vColor = iColor;
    vMaterial = iMaterial;
    vCube = iSize.w > 0.5 ? local : position;
    vUv = mapping == 1 ? vec2(0.5 * iRepeat.x * local.x - 0.5, -0.5 * iRepeat.y * local.y - 0.5) : uv;
    vShadow = shadowMatrix * vec4(vWorld, 1.0);
    vClip = casting ? vShadow : projectionMatrix * viewMatrix * vec4(vWorld, 1.0);
    gl_Position = vClip;
  }`;

export const fragment = /* glsl */`
  precision highp float;
  struct Light {
    vec3 pos, dir, ambient, diffuse, specular, attenuation;
    vec2 spot;
    int directional;
  };
  uniform Light lights[${MAX_LIGHT}];
  uniform int nlight, caster, mapping;
  uniform vec3 eye, fogColor, sky, ground;
  uniform vec2 fogRange;
  uniform vec4 below;
  uniform bool casting, hasShadow, hasMirror, isLine;
  uniform sampler2D map, shadowMap, mirror;
  uniform samplerCube cube;
  uniform float shadowTexel;
  in vec3 vNormal, vWorld, vCube;
  in vec4 vColor, vMaterial, vShadow, vClip;
  in vec2 vUv;
  out vec4 color;

  // part of the caster's light that arrives: nine samples of the shadow map
  float litPart() {
    vec3 p = vShadow.xyz / vShadow.w * 0.5 + 0.5;
    if (!hasShadow || any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
    float sum = 0.0;
    for (int x = -1; x <= 1; x++)
      for (int y = -1; y <= 1; y++)
        sum += texture(shadowMap, p.xy + vec2(x, y) * shadowTexel).r + 0.0015 > p.z ? 1.0 : 0.0;
    return sum / 9.0;
  }

  vec3 shaded(vec4 base) {
    vec3 n = normalize(vNormal), view = normalize(eye - vWorld);
    if (dot(n, view) < 0.0) n = -n;
    vec3 sum = vMaterial.x * base.rgb + base.rgb * mix(ground, sky, 0.5 + 0.5 * n.z);
    for (int k = 0; k < nlight; k++) {
      vec3 to = lights[k].directional == 1 ? -lights[k].dir : lights[k].pos - vWorld;
      float far = length(to), strength = 1.0;
      to /= max(far, 1e-9);
      if (lights[k].directional == 0) {
        float along = dot(-to, lights[k].dir);
        strength = 1.0 / max(1e-6, dot(lights[k].attenuation, vec3(1.0, far, far * far)));
        strength *= along < lights[k].spot.x ? 0.0 : pow(max(along, 0.0), lights[k].spot.y);
      }
      float face = max(dot(n, to), 0.0), shade = k == caster ? litPart() : 1.0;
      float shine = face > 0.0 ? pow(max(dot(n, normalize(to + view)), 0.0), max(vMaterial.z * 128.0, 1e-3)) : 0.0;
      sum += strength * (lights[k].ambient * base.rgb + shade * (face * lights[k].diffuse * base.rgb
        + shine * vMaterial.y * lights[k].specular));
    }
    return sum;
  }

  void main() {
    if (dot(below, vec4(vWorld, 1.0)) < 0.0) discard;
    if (casting) { color = vec4(1.0); return; }
    vec4 base = vColor;
    if (mapping == 1 || mapping == 2) base *= texture(map, vUv);
    if (mapping == 3) base *= texture(cube, vCube);
    vec3 sum = isLine ? base.rgb : shaded(base);
    if (hasMirror && vMaterial.w > 0.0) sum += vMaterial.w * texture(mirror, vClip.xy / vClip.w * 0.5 + 0.5).rgb;
    float haze = fogRange.y > fogRange.x ? clamp((length(eye - vWorld) - fogRange.x) / (fogRange.y - fogRange.x), 0.0, 1.0) : 0.0;
    color = vec4(mix(min(sum, 1.0), fogColor, haze), base.a);
  }`;

// the sky fills the picture: a cube of the model's, or a gradient
export const skyVertex = /* glsl */`
  out vec3 direction;
  uniform mat4 inverseView;
  void main() {
    vec4 p = inverse(projectionMatrix) * vec4(position.xy, 1.0, 1.0);
    direction = mat3(inverseView) * p.xyz;
    gl_Position = vec4(position.xy, 0.99999, 1.0);
  }`;

export const skyFragment = /* glsl */`
  precision highp float;
  uniform samplerCube cube;
  uniform bool hasCube;
  uniform vec3 top, bottom;
  in vec3 direction;
  out vec4 color;
  void main() {
    vec3 d = normalize(direction);
    color = vec4(hasCube ? texture(cube, vec3(d.x, d.z, -d.y)).rgb : mix(bottom, top, smoothstep(-0.2, 0.7, d.z)), 1.0);
  }`;
