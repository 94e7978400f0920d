"""The documents of the printed tables: one for the paper's, one for those past it, for `pdflatex` where they stand."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from lethe.tables.latex_text import escape_latex, identifier
from lethe.tables.registry import FigureSpec, TableSpec

DOCUMENT = "paper_tables/{room}.tex"
"""Path of a document below the output folder."""
DATA_FILES = ("tables.sty",)
STYLE = f"paper_tables/{DATA_FILES[0]}"
"""Path of the LaTeX package that lays tables out, which every document of them loads."""
LAYOUT = Path(__file__).with_name(DATA_FILES[0]).read_text(encoding="utf-8")
TITLES = {"paper": "The paper's tables, measured again", "beyond": "Past the paper"}
"""The rooms that have a document, with its title."""
DOCUMENT_FIGURES: Mapping[str, Mapping[str, str]] = {
    "paper": {
        "trade_off": "Recall and forgetting: pass rates on Memora and on the paper's cases.",
        "heatmap": "The paper's thirteen configurations on its cases: pass rate by category, with regimes and N/A.",
    },
}
"""The figures of a document with their captions."""
_MARK = "*"
_HEAD = r"""\documentclass[10pt,twocolumn,a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage[margin=2.5cm,columnsep=0.6cm]{geometry}
\usepackage{tables}
% Pages of floats alone, filled from the top.
\renewcommand{\topfraction}{1}\renewcommand{\dbltopfraction}{1}\renewcommand{\textfraction}{0}
\renewcommand{\floatpagefraction}{0.01}\renewcommand{\dblfloatpagefraction}{0.01}
\setcounter{topnumber}{20}\setcounter{dbltopnumber}{20}\setcounter{totalnumber}{20}
\makeatletter
\setlength{\@fptop}{0pt}\setlength{\@dblfptop}{0pt}
\setlength{\@fpsep}{16pt plus 4pt}\setlength{\@dblfpsep}{16pt plus 4pt}
\makeatother
% Tables of one and of two columns in turn would leave most of a page empty.
\renewenvironment{table}[1][tp]{\begin{table*}[#1]}{\end{table*}}
% A heading stands over the first table of its part, wherever that is set; over a turned one, which fills its page, in
% the margin.
\newcommand{\heading}[1]{%
  \gdef\pending{\gdef\pending{}\section{#1}}%
  \gdef\above{\gdef\pending{}\stepcounter{section}%
    \vbox to 0pt{\vss\hbox to 0pt{\Large\bfseries\thesection\quad #1\hss}\vskip 6pt}\nointerlineskip}}
\gdef\pending{}
\makeatletter\g@addto@macro\@floatboxreset{\pending}\makeatother
\newcommand{\turned}{\ifx\pending\empty\else\global\let\pending\above\fi}
\AddToHook{env/sidewaystable*/begin}{\turned}\AddToHook{env/sidewaystable/begin}{\turned}
\AddToHook{env/longtable/begin}{\pending}
\begin{document}
"""


def render_document(room: str, tables: Iterable[TableSpec], figures: Sequence[FigureSpec]) -> str:
    """What is in it, then the printed tables of a room under the headings of their parts, then its figures."""
    parts = [(part, list(own)) for part, own in groupby(_of(room, tables), key=lambda spec: spec.part)]
    lines = [
        rf"\twocolumn[\begin{{center}}\LARGE {escape_latex(TITLES[room])}\end{{center}}\bigskip]",
        *_contents(parts),
    ]
    for part, own in parts:
        lines.append(rf"\heading{{{escape_latex(part)}}}")
        lines += [rf"\input{{{spec.name}.tex}}" for spec in own if spec.latex]
    drawn = {spec.name for spec in figures}
    lines += [_figure(name, caption) for name, caption in DOCUMENT_FIGURES.get(room, {}).items() if name in drawn]
    return _HEAD + "\n".join(lines) + "\n\\end{document}\n"


def _of(room: str, tables: Iterable[TableSpec]) -> Iterator[TableSpec]:
    return (spec for spec in tables if spec.room == room)


def _contents(parts: Iterable[tuple[str, Sequence[TableSpec]]]) -> list[str]:
    """The names of the tables of each part, which are those of their files."""
    lines = [
        rf"\item {escape_latex(part)}: {', '.join(identifier(spec.name) + _MARK * (not spec.latex) for spec in own)}"
        for part, own in parts
    ]
    said = r"\raggedright Tables bear the names of their files; next to each is a CSV. "
    said += f"{_MARK}: too long for print, as CSV and on the report's page alone."
    return [said, r"\begin{itemize}", *lines, r"\end{itemize}"] if lines else []


def _figure(name: str, caption: str) -> str:
    drawn = rf"\includegraphics[width=\textwidth,height=0.85\textheight,keepaspectratio]{{../figures/{name}.pdf}}"
    return (
        rf"\begin{{figure*}}[tp]\centering{drawn}\caption{{{escape_latex(caption)}}}\label{{fig:{name}}}\end{{figure*}}"
    )
