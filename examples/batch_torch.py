"""Policy gradient on a cart with a pole, worlds and policy in the same memory: torch reads and writes the worlds in place.

  python3 examples/batch_torch.py LIBRARY MODEL [cuda|cpu [EPISODES]]

LIBRARY is libcortenforge.so, MODEL an MJCF file whose first joint slides a cart and whose second one turns a pole, with one
motor.  A field of a batch is an array of one row per world, which cf_batchTensor gives as a DLPack tensor: torch reads and
writes the memory of the worlds.
"""
import ctypes as c
import sys


class Options(c.Structure):
    _fields_ = [('backend', c.c_int), ('nthread', c.c_int), ('unstable', c.c_int), ('outputs', c.c_char_p),
                ('ncontact', c.c_int), ('noise_scale', c.c_double), ('noise_rate', c.c_double), ('seed', c.c_uint64),
                ('nlane', c.c_int), ('narena', c.c_int64), ('tier', c.c_int), ('precision', c.c_int),
                ('reactions', c.c_int)]


class Array:
    """a field of all worlds where it is; torch, NumPy, JAX and CuPy take it by from_dlpack without a copy"""

    def __init__(self, batch, name):
        self.batch, self.name = batch, name

    def __dlpack_device__(self):
        return (2 if self.batch.backend else 1, 0)

    def __dlpack__(self, **_):
        tensor = self.batch.lib.cf_batchTensor(self.batch.batch, self.name.encode())
        self.batch.check(tensor)
        capsule = c.pythonapi.PyCapsule_New
        capsule.restype, capsule.argtypes = c.py_object, (c.c_void_p, c.c_char_p, c.c_void_p)
        return capsule(tensor, b'dltensor', None)


class Batch:
    def __init__(self, library, model, nworld, backend):
        self.lib, self.n, self.backend = library, nworld, backend
        for name in ('mj_loadXML', 'cf_makeBatch', 'cf_batchTensor'):
            getattr(library, name).restype = c.c_void_p
        library.cf_batchError.restype = c.c_char_p
        error = c.create_string_buffer(500)
        m = library.mj_loadXML(model.encode(), None, error, 500)
        if not m:
            sys.exit(error.value.decode())
        options = Options()
        library.cf_defaultBatchOptions(c.byref(options))
        options.backend = backend
        self.batch = c.c_void_p(library.cf_makeBatch(c.c_void_p(m), nworld, c.byref(options), error, 500))
        if not self.batch:
            sys.exit(error.value.decode())

    def check(self, is_good):
        if not is_good:
            raise RuntimeError(self.lib.cf_batchError(self.batch).decode())

    def step(self, n):
        self.check(self.lib.cf_batchStep(self.batch, n) and self.lib.cf_batchWait(self.batch))

    def reset(self):
        self.check(self.lib.cf_batchReset(self.batch, None, -1) and self.lib.cf_batchWait(self.batch))


def main():
    import torch
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    device = sys.argv[3] if len(sys.argv) > 3 else 'cuda'
    nepisode = int(sys.argv[4]) if len(sys.argv) > 4 else 50
    torch.manual_seed(1)
    batch = Batch(c.CDLL(sys.argv[1]), sys.argv[2], 4096 if device == 'cuda' else 256, int(device == 'cuda'))
    qpos, qvel, ctrl = (torch.from_dlpack(Array(batch, name)) for name in ('qpos', 'qvel', 'ctrl'))
    policy = torch.nn.Sequential(torch.nn.Linear(4, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)).double().to(device)
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
    finish = torch.cuda.synchronize if device == 'cuda' else lambda: None  # what torch wrote is there before worlds step
    for episode in range(nepisode):
        batch.reset()
        qpos[:, 1] += 0.1 * torch.randn(batch.n, device=device, dtype=torch.float64)
        finish()
        scores, stands = [], []
        is_up = torch.ones(batch.n, device=device, dtype=torch.bool)
        for _ in range(100):
            normal = torch.distributions.Normal(policy(torch.cat([qpos[:, :2], qvel[:, :2]], 1)), 0.3)
            action = normal.sample()
            scores.append(normal.log_prob(action).sum(1) * is_up)
            ctrl[:] = action
            finish()
            batch.step(2)
            is_up = is_up & (qpos[:, 1].abs() < 0.5) & (qpos[:, 0].abs() < 1.5)
            stands.append(is_up.double())
        gain = torch.stack(stands).flip(0).cumsum(0).flip(0)
        gain = (gain - gain.mean(1, keepdim=True)) / (gain.std(1, keepdim=True) + 1e-6)
        loss = -(torch.stack(scores) * gain).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f'episode {episode}: the pole stands for {2 * torch.stack(stands).sum(0).mean().item():.1f} of 200 steps')


if __name__ == '__main__':
    main()
