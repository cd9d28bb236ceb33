/** A terminal that returns its screen as text. */
import xterm from '@xterm/headless';

export interface TestTerminal {
  /** Resolves when the text is on the screen. */
  write(text: string): Promise<void>;
  resize(columns: number, rows: number): void;
  /** The rows that are seen, without blanks at their ends and without empty rows at the bottom. */
  screen(): readonly string[];
  /** The screen and scrolled lines, each as it was written, however many rows it takes. */
  lines(): readonly string[];
  /** Whether the cursor is visible, and whether an unfinished frame is hidden. */
  modes(): { readonly isWrapping: boolean; readonly isDrawing: boolean };
}

const SCROLLBACK = 10_000;

/** `endsLines`: converts line ends, as a real terminal does. */
export function createTestTerminal(
  columns: number,
  rows: number,
  { endsLines = true } = {},
): TestTerminal {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: SCROLLBACK,
    allowProposedApi: true,
    convertEol: endsLines,
  });

  function rowsFrom(first: number): readonly { readonly text: string; readonly goesOn: boolean }[] {
    const { active } = terminal.buffer;
    return Array.from({ length: active.length - first }, (_, index) => {
      const goesOn = active.getLine(first + index + 1)?.isWrapped === true;
      return { text: active.getLine(first + index)?.translateToString(!goesOn) ?? '', goesOn };
    });
  }

  return {
    write: (text) => new Promise((resolve) => terminal.write(text, resolve)),
    resize: (newColumns, newRows) => terminal.resize(newColumns, newRows),
    screen: () => withoutEnd(rowsFrom(terminal.buffer.active.baseY).map(({ text }) => text)),
    lines() {
      let begun = '';
      const lines: string[] = [];
      for (const { text, goesOn } of rowsFrom(0)) {
        begun += text;
        if (goesOn) continue;
        lines.push(begun.trimEnd());
        begun = '';
      }
      return withoutEnd(lines);
    },
    modes: () => ({
      isWrapping: terminal.modes.wraparoundMode,
      isDrawing: terminal.modes.synchronizedOutputMode,
    }),
  };
}

function withoutEnd(rows: readonly string[]): readonly string[] {
  const trimmed = rows.map((row) => row.trimEnd());
  return trimmed.slice(0, trimmed.findLastIndex((row) => row !== '') + 1);
}
