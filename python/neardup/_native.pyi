import numpy as np
from numpy.typing import NDArray

class JsonlLines:
    starts: NDArray[np.uint64]
    ends: NDArray[np.uint64]
    stops: NDArray[np.uint64]
    line: NDArray[np.uint64]
    next_line: int
    mark: int

class JsonlBlock:
    lines: JsonlLines
    status: NDArray[np.uint8]
    column: NDArray[np.uint64]
    field: NDArray[np.uint32]
    text_data: NDArray[np.uint8]
    text_offsets: NDArray[np.int64]
    id_data: NDArray[np.uint8]
    id_offsets: NDArray[np.int64]
    id_kind: NDArray[np.uint8]
    key_data: NDArray[np.uint8]
    key_offsets: NDArray[np.int64]
    key_kind: NDArray[np.uint8]

def scan_jsonl(
    block: NDArray[np.uint8],
    text_paths: list[list[str]],
    id_path: list[str] | None = None,
    first_line: int = 1,
    key_path: list[str] | None = None,
    wanted: NDArray[np.bool_] | None = None,
) -> JsonlBlock: ...
def scan_lines(block: NDArray[np.uint8], first_line: int = 1) -> JsonlLines: ...
def field_names(line: bytes) -> list[str]: ...

class JsonArray:
    def __init__(self, data: NDArray[np.uint8]) -> None: ...
    def __len__(self) -> int: ...
    def lines(self) -> JsonlLines: ...
    def scan(
        self,
        data: NDArray[np.uint8],
        first: int,
        stop: int,
        text_paths: list[list[str]],
        id_path: list[str] | None = None,
        key_path: list[str] | None = None,
    ) -> JsonlBlock: ...

def is_json_array(data: bytes) -> bool: ...
def scan_csv(
    block: NDArray[np.uint8],
    delimiter: int,
    texts: list[int],
    carried: list[int],
    first_line: int,
    last: bool,
) -> tuple[JsonlBlock, int]: ...
def first_record(block: bytes, delimiter: int) -> tuple[list[bytes], int]: ...
def scan_text(block: NDArray[np.uint8], first_line: int = 1) -> JsonlBlock: ...
