/** The project and the namespace that a list is held to. Each can be removed. */
import { X } from 'lucide-react';
import { Button } from '../../parts/button.tsx';
import styles from './tests.module.css';

interface PlaceChipsProps {
  readonly search: { readonly project?: string; readonly namespace?: string };
  readonly onRemove: (key: 'project' | 'namespace') => void;
}

export const PlaceChips = ({ search, onRemove }: PlaceChipsProps) =>
  (['project', 'namespace'] as const).map((key) => {
    const value = search[key];
    return value === undefined ? null : (
      <Button key={key} onPress={() => onRemove(key)}>
        <span className={styles.chip}>
          {key}: <bdi>{value}</bdi>
        </span>
        <X aria-label="Remove" size={14} />
      </Button>
    );
  });
