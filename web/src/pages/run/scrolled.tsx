/** A place that scrolls, also with keys. */
import type { ReactNode } from 'react';

interface ScrolledProps {
  readonly label: string;
  readonly className: string | undefined;
  readonly children: ReactNode;
}

export const Scrolled = ({ label, className, children }: ScrolledProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be able to have the focus
  <section className={className} tabIndex={0} aria-label={label}>
    {children}
  </section>
);
