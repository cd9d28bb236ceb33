/** Lines of output with their colours. They are objects, never markup. */
import { cleanOutput, lastState } from '@tutti/run-view/text';
import { ansiToJson } from 'anser';
import { memo } from 'react';
import styles from './output-lines.module.css';
import { Scrolled } from './scrolled.tsx';

export const OutputLines = ({ lines }: { readonly lines: readonly string[] }) => (
  <Scrolled label="Output" className={styles.lines}>
    {lines.map((line, at) => (
      // Lines have no other name, and never change their order.
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <div key={at}>
        <OutputLine text={line} />
      </div>
    ))}
  </Scrolled>
);

const OPTIONS = { use_classes: true, remove_empty: true } as const;

/** The text of a line as a terminal shows it at the end: after the last carriage return, and without what moves the cursor. */
export const OutputLine = memo(({ text }: { readonly text: string }) => {
  const clean = cleanOutput(lastState(text), true);
  if (!clean.includes('\u001b')) return clean === '' ? '\u00a0' : clean;
  return ansiToJson(clean, OPTIONS).map(
    ({ content, fg, bg, decorations, fg_truecolor: exact }, at) => (
      <span
        // Pieces have no other name, and never change their order.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        key={at}
        className={[fg, bg === null ? null : `${bg}-bg`, ...decorations].flatMap(classOf).join(' ')}
        style={fg === 'ansi-truecolor' && exact !== null ? { '--own': `rgb(${exact})` } : undefined}
      >
        {content}
      </span>
    ),
  );
});

const classOf = (name: string | null): readonly string[] => {
  if (name === null || name === '') return [];
  const found = styles[name.replace(/^ansi-palette-\d+$/, 'ansi-palette')];
  return found === undefined ? [] : [found];
};
