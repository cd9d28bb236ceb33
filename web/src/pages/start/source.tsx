/** The text of the workflow: typed, pasted, dropped or chosen. */
import { FolderOpen } from 'lucide-react';
import { type DragEvent, useRef } from 'react';
import { Band } from '../../parts/band.tsx';
import { Button } from '../../parts/button.tsx';
import styles from './start.module.css';

interface SourceProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** The place of the text, for links to its lines. */
export const SOURCE_ID = 'workflow-source';
/** Larger files are left to the command line. */
const FILE_BYTES_MAX = 4 * 1024 * 1024;

export function Source({ text, onChange }: SourceProps) {
  const input = useRef<HTMLInputElement>(null);
  const take = async (file: File | undefined) => {
    if (file !== undefined && file.size <= FILE_BYTES_MAX) onChange(await file.text());
  };
  const drop = (event: DragEvent) => {
    const [file] = event.dataTransfer.files;
    if (file === undefined) return;
    event.preventDefault();
    void take(file);
  };
  return (
    <Band
      title="Workflow"
      more={
        <Button onPress={() => input.current?.click()}>
          <FolderOpen aria-hidden size={16} />
          Choose a file
        </Button>
      }
    >
      <input
        ref={input}
        type="file"
        accept=".yaml,.yml,.json"
        hidden
        onChange={({ target }) => void take(target.files?.[0])}
      />
      <textarea
        id={SOURCE_ID}
        aria-label="Text of the workflow"
        spellCheck={false}
        autoCapitalize="off"
        value={text}
        onChange={({ target }) => onChange(target.value)}
        onDrop={drop}
        className={styles.source}
        rows={Math.max(18, text.split('\n', 60).length + 1)}
      />
    </Band>
  );
}

/** Puts the cursor at a line of the text, from 1. */
export function showLine(line: number): void {
  const source = document.getElementById(SOURCE_ID);
  if (!(source instanceof HTMLTextAreaElement)) return;
  const lines = source.value.split('\n');
  const begin = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  source.focus();
  source.setSelectionRange(begin, begin + (lines[line - 1]?.length ?? 0));
}
