/** Pages in place of a page: for an address without one, and for an error that nothing else caught. */
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { Problem } from '../parts/states.tsx';
import styles from './frame.module.css';

export const PageError = ({ error, reset }: ErrorComponentProps) => (
  <>
    <h1>This page does not work now</h1>
    <Problem error={error} onAgain={reset} />
  </>
);

/** Where there is no frame around it. */
export const BareError = (props: ErrorComponentProps) => (
  <main className={styles.page}>
    <PageError {...props} />
  </main>
);

export const NotFound = () => (
  <main className={styles.page}>
    <h1>There is no such page</h1>
    <p>
      The address names no page of this server. <Link to="/">Go to Now</Link>
    </p>
  </main>
);
