/** Warnings of the server about the lists that it answered. */
import { FLAKY_DOCS } from '../../data/tests.ts';
import styles from './tests.module.css';

export const Warnings = ({ texts }: { readonly texts: readonly string[] }) =>
  texts.map((text) => (
    <p key={text} className={styles.warning}>
      {text} <a href={`${FLAKY_DOCS}#use-it-in-your-project`}>How to say what was tested</a>
    </p>
  ));
