"""Convolution as a matrix multiplication: the shapes of im2col, and how much larger the input becomes."""

from __future__ import annotations

from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, integer, optional
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.inputs import element_bytes
from quiz.calculators.slips import changed, times
from quiz.language import Text
from quiz.reference import Reference


def im2col(
    *,
    batch: int,
    channels: int,
    height: int,
    width: int,
    kernel: int,
    kernel_width: int | None,
    filters: int,
    stride: int,
    padding: int,
    dilation: int,
    element_bytes: Number,
) -> dict[str, Any]:
    """A convolution of N = `batch` images of C × H × W with K = `filters` filters of R × S, as one GEMM.

        out_height = ⌊(H + 2·padding − dilation·(R − 1) − 1)/stride⌋ + 1          out_width likewise with W and S
        gemm_m = K        gemm_k = C·R·S        gemm_n = N·out_height·out_width
        elements = gemm_k·gemm_n      bytes = elements·element_bytes      expansion = elements/(N·C·H·W)
        flops = 2·gemm_m·gemm_n·gemm_k

    S = R unless kernel_width is given. Filters as an M × K matrix, the columns as K × N (NCHW); some libraries multiply
    the transposes. ValueError where the padded image is smaller than the filter.
    Source: PyTorch, torch.nn.Unfold; PaddlePaddle, unfold
    """
    across = kernel if kernel_width is None else kernel_width
    tall = (height + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1
    wide = (width + 2 * padding - dilation * (across - 1) - 1) // stride + 1
    if tall < 1 or wide < 1:
        raise ValueError("the filter is larger than the padded image")
    inner, outer = channels * kernel * across, batch * tall * wide
    return {
        "out_height": tall,
        "out_width": wide,
        "gemm_m": filters,
        "gemm_k": inner,
        "gemm_n": outer,
        "elements": inner * outer,
        "bytes": plain(inner * outer * decimal(element_bytes)),
        "expansion": inner * outer / (batch * channels * height * width),
        "flops": 2 * filters * inner * outer,
    }


def _across(i: Values) -> int:
    return int(i.kernel if i.kernel_width is None else i.kernel_width)


def _out(size: str, kernel: Any) -> Any:
    def line(i: Values, o: Values) -> str:
        found = o.out_height if size == "height" else o.out_width
        return f"⌊({getattr(i, size)} + 2·{i.padding} − {i.dilation}·({kernel(i)} − 1) − 1)/{i.stride}⌋ + 1 = {found}"

    return line


NO_STRIDE = Text("the stride is left out", "漏了 stride")
NO_PADDING = Text("the padding is left out", "漏了 padding")
ONE_SIDE = Text("padding is added on one side only", "padding 只加了一边，两边都要加")
OFF_BY_ONE = Text("the last position is left out: + 1 is missing", "漏了最后的 + 1")
NO_DILATION = Text("the dilation is left out", "漏了 dilation")
NO_BATCH = Text("one image is counted, not the batch", "只算了一张图，漏了 batch")
NO_CHANNELS = Text("the channels are left out", "漏了输入通道数")
MULTIPLY_ADDS = Text("a multiply-add is counted as one operation, not two", "一次乘加只算 1 次运算，应算 2 次")


def _without(i: Values, **changes: Any) -> dict[str, Any] | None:
    """Changed inputs, where the convolution still has an output."""
    try:
        im2col(**{**vars(i), **changes})
    except ValueError:
        return None
    return changes


def _position_slips(output: str) -> tuple[Slip, ...]:
    return (
        changed(im2col, output, "no_stride", NO_STRIDE, lambda i: {"stride": 1} if i.stride > 1 else None),
        changed(im2col, output, "no_padding", NO_PADDING, lambda i: _without(i, padding=0) if i.padding else None),
        changed(im2col, output, "no_dilation", NO_DILATION, lambda i: {"dilation": 1} if i.dilation > 1 else None),
    )


def _one_side(i: Values) -> int | None:
    if not i.padding:
        return None
    return int((i.height + i.padding - i.dilation * (i.kernel - 1) - 1) // i.stride + 1)


_SLIPS = (
    *_position_slips("out_height"),
    Slip("one_side", "out_height", ONE_SIDE, _one_side),
    Slip("off_by_one", "out_height", OFF_BY_ONE, lambda i: im2col(**vars(i))["out_height"] - 1),
    *_position_slips("out_width"),
    Slip("off_by_one", "out_width", OFF_BY_ONE, lambda i: im2col(**vars(i))["out_width"] - 1),
    *_position_slips("gemm_n"),
    changed(im2col, "gemm_n", "no_batch", NO_BATCH, lambda i: {"batch": 1} if i.batch > 1 else None),
    Slip(
        "input_size",
        "gemm_n",
        Text("the input's positions are counted", "按输入的位置数算了"),
        lambda i: i.batch * i.height * i.width,
    ),
    changed(im2col, "gemm_k", "no_channels", NO_CHANNELS, lambda i: {"channels": 1} if i.channels > 1 else None),
    Slip(
        "filters",
        "gemm_k",
        Text("the filters are multiplied in", "把输出通道数也乘进去了"),
        lambda i: i.channels * i.kernel * _across(i) * i.filters,
    ),
    *_position_slips("elements"),
    *_position_slips("expansion"),
    Slip(
        "kernel_size",
        "expansion",
        Text("the filter's R·S is given, whatever stride and padding", "直接取了 R·S，没看 stride 和 padding"),
        lambda i: i.kernel * _across(i),
    ),
    times(im2col, "flops", "multiply_adds", MULTIPLY_ADDS, lambda _: 0.5),
    *_position_slips("flops"),
)

IM2COL = Calculator(
    name="im2col",
    title=Text("Convolution by im2col and GEMM", "im2col + GEMM 卷积"),
    inputs=(
        integer("batch", Text("images N", "图片数 N"), high=10**6, default=1),
        integer("channels", Text("input channels C", "输入通道数 C"), high=10**6),
        integer("height", Text("height H", "高 H"), high=10**6),
        integer("width", Text("width W", "宽 W"), high=10**6),
        integer("kernel", Text("filter height R (and width)", "卷积核高 R（宽相同）"), high=10**4),
        optional(integer("kernel_width", Text("filter width S if it differs", "卷积核宽 S（不同时给）"), high=10**4)),
        integer("filters", Text("filters K", "输出通道数 K"), high=10**6, default=1),
        integer("stride", Text("stride", "步长"), high=10**4, default=1),
        integer("padding", Text("padding on each side", "每边的 padding"), low=0, high=10**4, default=0),
        integer("dilation", Text("dilation", "膨胀率"), high=10**4, default=1),
        element_bytes("element_bytes", Text("bytes an element", "每个元素的字节数")),
    ),
    outputs=(
        Output(
            "out_height",
            Text("height of the output", "输出高"),
            "",
            "⌊(H + 2·padding − dilation·(R − 1) − 1)/stride⌋ + 1",
            _out("height", lambda i: i.kernel),
        ),
        Output(
            "out_width",
            Text("width of the output", "输出宽"),
            "",
            "⌊(W + 2·padding − dilation·(S − 1) − 1)/stride⌋ + 1",
            _out("width", _across),
        ),
        Output("gemm_m", Text("rows: filters", "GEMM 的 M：输出通道数"), "", "K", lambda _, o: f"{o.gemm_m:,}"),
        Output(
            "gemm_k",
            Text("inner size", "GEMM 的 K"),
            "",
            "C·R·S",
            lambda i, o: f"{i.channels}·{i.kernel}·{_across(i)} = {o.gemm_k:,}",
        ),
        Output(
            "gemm_n",
            Text("columns: output positions", "GEMM 的 N：输出位置数"),
            "",
            "N·out_height·out_width",
            lambda i, o: f"{i.batch}·{o.out_height}·{o.out_width} = {o.gemm_n:,}",
        ),
        Output(
            "elements",
            Text("elements of the column matrix", "列矩阵的元素数"),
            "element",
            "gemm_k·gemm_n",
            lambda _, o: f"{o.gemm_k:,}·{o.gemm_n:,} = {o.elements:,}",
        ),
        Output(
            "bytes",
            Text("the column matrix", "列矩阵大小"),
            "byte",
            "elements·element_bytes",
            lambda i, o: f"{o.elements:,}·{figures.number(i.element_bytes)} = {figures.size(o.bytes)}",
        ),
        Output(
            "expansion",
            Text("how much larger than the input", "相对输入的膨胀倍数"),
            "",
            "elements/(N·C·H·W)",
            lambda i, o: (
                f"{o.elements:,}/({i.batch}·{i.channels}·{i.height}·{i.width}) = {figures.number(o.expansion)}"
            ),
        ),
        Output(
            "flops",
            Text("operations", "运算量"),
            "FLOP",
            "2·gemm_m·gemm_n·gemm_k",
            lambda _, o: f"2·{o.gemm_m:,}·{o.gemm_n:,}·{o.gemm_k:,} = {figures.scaled(o.flops, 'FLOP')}",
        ),
    ),
    compute=im2col,
    convention=Text(
        "NCHW; filters K × CRS times columns CRS × N·OH·OW; a multiply-add is two FLOP",
        "NCHW；滤波器 K×CRS 乘列矩阵 CRS×(N·OH·OW)；一次乘加算 2 FLOP",
    ),
    slips=tuple(when_distinct(im2col, slip) for slip in _SLIPS),
    sources=(
        Reference("PyTorch, torch.nn.Unfold", "https://docs.pytorch.org/docs/stable/generated/torch.nn.Unfold.html"),
        Reference(
            "PaddlePaddle, unfold",
            "https://paddlepaddle.org.cn/documentation/docs/zh/2.2/api/paddle/nn/functional/unfold_cn.html",
        ),
    ),
)

CALCULATORS = (IM2COL,)
