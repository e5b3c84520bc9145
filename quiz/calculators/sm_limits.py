"""What a streaming multiprocessor holds, by compute capability, and how many of them a GPU has."""

from __future__ import annotations

from dataclasses import dataclass

from quiz.reference import Reference

KIB = 1024
WARP = 32
MOST_THREADS = 1024
MOST_REGISTERS = 255
REGISTERS = 65_536
REGISTER_STEP = 256
PARTITIONS = 4


@dataclass(frozen=True, slots=True)
class Multiprocessor:
    """Limits of one SM: resident warps and blocks, shared memory in all and for one block, in bytes.

    A block's shared memory is rounded up to `step` bytes and grows by `reserved` that the system keeps for it.
    """

    warps: int
    blocks: int
    shared: int
    shared_per_block: int
    step: int = 128
    reserved: int = KIB


CAPABILITIES = {
    "7.0": Multiprocessor(64, 32, 96 * KIB, 96 * KIB, step=256, reserved=0),
    "7.5": Multiprocessor(32, 16, 64 * KIB, 64 * KIB, step=256, reserved=0),
    "8.0": Multiprocessor(64, 32, 164 * KIB, 163 * KIB),
    "8.6": Multiprocessor(48, 16, 100 * KIB, 99 * KIB),
    "8.7": Multiprocessor(48, 16, 164 * KIB, 163 * KIB),
    "8.9": Multiprocessor(48, 24, 100 * KIB, 99 * KIB),
    "9.0": Multiprocessor(64, 32, 228 * KIB, 227 * KIB),
    "10.0": Multiprocessor(64, 32, 228 * KIB, 227 * KIB),
    "11.0": Multiprocessor(48, 24, 228 * KIB, 227 * KIB),
    "12.0": Multiprocessor(48, 24, 100 * KIB, 99 * KIB),
}

# compute capability and SMs of the devices known here by name
GPUS: dict[str, tuple[str, int]] = {
    "a100-sxm-80gb": ("8.0", 108),
    "a100-pcie-80gb": ("8.0", 108),
    "h100-sxm": ("9.0", 132),
    "h200": ("9.0", 132),
    "h800-sxm": ("9.0", 132),
    "b200": ("10.0", 148),
}

GUIDE = Reference(
    "CUDA C++ Programming Guide, Technical Specifications per Compute Capability",
    "https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#features-and-technical-specifications",
)
HEADER = Reference("CUDA 13.0 toolkit, cuda_occupancy.h")
BEST_PRACTICES = Reference(
    "CUDA C++ Best Practices Guide", "https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html"
)
