from pathlib import Path

from lethe.report.modules import joined_modules


def test_modules_stand_after_what_they_import_once_each(tmp_path: Path) -> None:
    (tmp_path / "main.js").write_text('import { a } from "./a.js";\nimport { b } from "./b.js";\n\nstart(a, b);\n')
    (tmp_path / "a.js").write_text('import { b } from "./b.js";\n\nconst own = 1;\nexport const a = b(own);\n')
    (tmp_path / "b.js").write_text("const own = 2;\nexport async function b(x) {\n  return x + own;\n}\n")
    script = joined_modules(tmp_path, "main.js")
    assert script.index("const { b }") < script.index("const { a }") < script.index("start(a, b);")
    assert script.count("async function b") == 1
    assert "import" not in script and "export" not in script
