/** Fields of forms: a label, the input, what it means, and what is wrong. */
import type { HTMLInputTypeAttribute } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextField } from 'react-aria-components/TextField';
import styles from './field.module.css';

export interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly name?: string;
  readonly hint?: string | undefined;
  readonly problem?: string | null;
  readonly type?: HTMLInputTypeAttribute;
  readonly placeholder?: string;
  readonly autoFocus?: boolean;
  readonly autoComplete?: string;
}

export function Field({
  label,
  hint,
  problem = null,
  placeholder,
  type = 'text',
  ...field
}: FieldProps) {
  return (
    <TextField {...field} type={type} isInvalid={problem !== null} className={styles.field ?? ''}>
      <Label>
        <bdi>{label}</bdi>
      </Label>
      <Input placeholder={placeholder ?? ''} className={styles.input ?? ''} />
      {hint !== undefined && (
        <Text slot="description" className={styles.hint ?? ''}>
          <bdi>{hint}</bdi>
        </Text>
      )}
      <FieldError className={styles.problem ?? ''}>
        {problem !== null && <bdi>{problem}</bdi>}
      </FieldError>
    </TextField>
  );
}
