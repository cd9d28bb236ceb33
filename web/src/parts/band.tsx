/** A part of a page with a heading. */
import { type ReactNode, useId } from 'react';
import styles from './band.module.css';

interface BandProps {
  readonly title: string;
  /** A count beside the title. */
  readonly count?: number | undefined;
  /** Actions, or a link to more. */
  readonly more?: ReactNode;
  readonly children: ReactNode;
}

export function Band({ title, count, more, children }: BandProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles.band}>
      <div className={styles.head}>
        <h2 id={id}>
          {title}
          {count !== undefined && <span className={styles.count}> {count}</span>}
        </h2>
        {more}
      </div>
      {children}
    </section>
  );
}

/** A band that has nothing to show: one line. */
export const EmptyBand = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) => (
  <section aria-label={title} className={styles.line}>
    <h2>{title}</h2>
    <p>{children}</p>
  </section>
);

/** The title of a page, with what can be done there. */
export const PageHead = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ReactNode;
}) => (
  <div className={styles.pageHead}>
    <title>{`${title} · Tutti`}</title>
    <h1>{title}</h1>
    {children !== undefined && <div className={styles.actions}>{children}</div>}
  </div>
);
