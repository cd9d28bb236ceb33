/** All problems of the workflow, with their lines. */
import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react';
import { Band } from '../../parts/band.tsx';
import { Button } from '../../parts/button.tsx';
import type { Checked } from './check-protocol.ts';
import { showLine } from './source.tsx';
import styles from './start.module.css';

export function Problems({ checked }: { readonly checked: Checked | null }) {
  if (checked === null) return null;
  const { diagnostics, moreCount, isValid, failure } = checked;
  if (failure !== null) return <p className={styles.warning}>{failure}</p>;
  if (diagnostics.length === 0)
    return (
      <p role="status" className={styles.sound}>
        <CircleCheck aria-hidden size={16} />
        The workflow is valid.
      </p>
    );
  return (
    <Band
      title={isValid ? 'Warnings' : 'Problems'}
      count={diagnostics.length + moreCount}
      more={<span role="status" className="hidden">{`${diagnostics.length} problems`}</span>}
    >
      <ol className={styles.problems}>
        {diagnostics.map(({ severity, path, message, hint, span }) => (
          <li key={`${span?.line ?? 0}:${span?.column ?? 0}:${path}:${message}`}>
            {severity === 'error' ? (
              <CircleX aria-label="error" size={16} className={styles.error} />
            ) : (
              <TriangleAlert aria-label="warning" size={16} className={styles.warn} />
            )}
            <bdi>
              {path !== '' && <code>{path}</code>} {message}
              {hint !== null && <span className={styles.hint}> {hint}</span>}
            </bdi>
            {span !== null && (
              <Button kind="quiet" onPress={() => showLine(span.line)}>
                line {span.line}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </Band>
  );
}
