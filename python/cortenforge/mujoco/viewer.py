"""The module mujoco.viewer."""
from ..viewer import Handle, launch, launch_from_path, launch_passive, main  # noqa: F401

if __name__ == "__main__":
    main()
