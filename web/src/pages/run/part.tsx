/** A part of a page with a heading. */
import type { ReactNode } from 'react';
import styles from './part.module.css';

export function Part({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <section className={styles.part} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
