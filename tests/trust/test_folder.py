"""What a Parquet file of somebody else's says of itself is looked at before it is read."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forgeteval.errors import UserError
from lethe.parquet import check_foreign


def test_a_column_whose_name_is_no_text_is_no_table_of_results(tmp_path: Path) -> None:
    path = tmp_path / "named.parquet"
    pq.write_table(pa.table({"column": [1]}), path, store_schema=False)
    check_foreign(path)
    path.write_bytes(path.read_bytes().replace(b"column", b"\xff\xfe\xff\xfe\xff\xfe"))
    with pytest.raises(UserError, match="is not UTF-8 text"):
        check_foreign(path)
