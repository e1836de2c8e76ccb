"""Policy gradient on a cart with a pole, worlds and policy on the same GPU: torch reads and writes the worlds in place.

  python3 examples/batch_torch.py LIBRARY MODEL [cuda|cpu]

LIBRARY is libcortenforge.so, MODEL an MJCF file whose first joint slides a cart and whose second one turns a pole, with one
motor.  A field of a batch is an array of one row per world; `cf_batchDevicePointer` says where it is and how far apart
rows are, and __cuda_array_interface__ (version 3) hands that to torch, CuPy or JAX without a copy.
"""
import ctypes as c
import sys


class Options(c.Structure):
    _fields_ = [('backend', c.c_int), ('nthread', c.c_int), ('unstable', c.c_int), ('outputs', c.c_char_p),
                ('ncontact', c.c_int), ('noise_scale', c.c_double), ('noise_rate', c.c_double), ('seed', c.c_uint64),
                ('nlane', c.c_int), ('narena', c.c_int64)]


class Field(c.Structure):
    _fields_ = [('name', c.c_char_p), ('element', c.c_int), ('nbyte', c.c_int), ('count', c.c_int64),
                ('is_writable', c.c_uint8), ('is_parameter', c.c_uint8)]


class DeviceArray:
    """a field of all worlds in the memory of the GPU"""

    def __init__(self, address, shape, strides, stream):
        self.__cuda_array_interface__ = {'shape': shape, 'strides': strides, 'typestr': '<f8', 'data': (address, False),
                                         'version': 3, 'stream': stream}


class Batch:
    def __init__(self, library, model, nworld, backend):
        self.lib, self.n = library, nworld
        for name in ('mj_loadXML', 'cf_makeBatch', 'cf_batchStream'):
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

    def array(self, name):
        """a field as an object that torch.as_tensor takes without a copy"""
        field, address, stride = Field(), c.c_void_p(), c.c_int64()
        self.check(self.lib.cf_batchField(self.batch, name.encode(), c.byref(field)))
        self.check(self.lib.cf_batchDevicePointer(self.batch, name.encode(), c.byref(address), c.byref(stride)))
        return DeviceArray(address.value, (self.n, field.count), (stride.value, field.nbyte),
                           self.lib.cf_batchStream(self.batch))

    def step(self, n):
        self.check(self.lib.cf_batchStep(self.batch, n) and self.lib.cf_batchWait(self.batch))

    def reset(self):
        self.check(self.lib.cf_batchReset(self.batch, None, -1) and self.lib.cf_batchWait(self.batch))


def main():
    import torch
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    batch = Batch(c.CDLL(sys.argv[1]), sys.argv[2], 4096, 1)
    qpos, qvel, ctrl = (torch.as_tensor(batch.array(n), device='cuda') for n in ('qpos', 'qvel', 'ctrl'))
    policy = torch.nn.Sequential(torch.nn.Linear(4, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)).double().cuda()
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
    for episode in range(50):
        batch.reset()
        qpos[:, 1] += 0.1 * torch.randn(batch.n, device='cuda', dtype=torch.float64)
        torch.cuda.synchronize()
        scores, rewards = [], []
        for _ in range(100):
            normal = torch.distributions.Normal(policy(torch.cat([qpos[:, :2], qvel[:, :2]], 1)), 0.3)
            action = normal.sample()
            scores.append(normal.log_prob(action).sum(1))
            ctrl[:] = action
            torch.cuda.synchronize()  # what torch wrote is there before the worlds step
            batch.step(2)
            rewards.append(torch.cos(qpos[:, 1]) - 0.1 * qpos[:, 0] ** 2)
        gain = torch.stack(rewards).flip(0).cumsum(0).flip(0)
        loss = -(torch.stack(scores) * (gain - gain.mean(1, keepdim=True))).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f'episode {episode}: mean reward {torch.stack(rewards).mean().item():.4f}')


if __name__ == '__main__':
    main()
