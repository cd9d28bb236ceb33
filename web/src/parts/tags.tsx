/** Tags of environments, and of jobs that look for them. */
import { cleanLine } from '@tutti/run-view/text';
import styles from './tags.module.css';

export const Tags = ({ tags }: { readonly tags: readonly string[] }) => (
  <span className={styles.tags}>
    {tags.map((tag) => (
      <code key={tag}>{cleanLine(tag)}</code>
    ))}
  </span>
);
