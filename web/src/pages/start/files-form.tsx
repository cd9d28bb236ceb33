/** Files that the workflow names as its resources and does not have. */
import styles from './start.module.css';

interface FilesProps {
  readonly names: readonly string[];
  readonly files: Readonly<Record<string, Blob>>;
  readonly onChange: (files: Readonly<Record<string, Blob>>) => void;
}

export const FilesForm = ({ names, files, onChange }: FilesProps) =>
  names.map((name) => (
    <label key={name} className={styles.choice}>
      <bdi>{name}</bdi>
      <input
        type="file"
        required
        onChange={({ target }) => {
          const { [name]: _, ...others } = files;
          const file = target.files?.[0];
          onChange(file === undefined ? others : { ...others, [name]: file });
        }}
      />
    </label>
  ));
