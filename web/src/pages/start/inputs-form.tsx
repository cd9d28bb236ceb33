/** The form of a workflow: one field for each of its inputs. A field that nobody touched keeps the default. */
import type { InputDeclaration } from '@tutti/manifests';
import { useId } from 'react';
import { Field } from '../../parts/field.tsx';
import type { Checked } from './check-protocol.ts';
import styles from './start.module.css';

interface InputsProps {
  readonly checked: Checked | null;
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (values: Readonly<Record<string, string>>) => void;
}

export function InputsForm({ checked, values, onChange }: InputsProps) {
  const declared = Object.entries(checked?.inputs ?? {}).filter(([name]) => !name.startsWith('{'));
  if (checked !== null && checked.inputs !== null && declared.length === 0)
    return <p className={styles.hint}>It has no inputs.</p>;
  const change = (name: string, value: string) => {
    const { [name]: _, ...others } = values;
    onChange(value === '' ? others : { ...others, [name]: value });
  };
  return declared.map(([name, declaration]) => (
    <InputField
      key={name}
      name={name}
      declaration={declaration}
      value={values[name] ?? ''}
      problem={checked?.inputProblems[name] ?? null}
      onChange={(value) => change(name, value)}
    />
  ));
}

interface InputFieldProps {
  readonly name: string;
  readonly declaration: InputDeclaration;
  readonly value: string;
  readonly problem: string | null;
  readonly onChange: (value: string) => void;
}

function InputField({ name, declaration, value, problem, onChange }: InputFieldProps) {
  const { type, options = [], description, default: usual } = declaration;
  const placeholder = usual === undefined ? '' : textOf(usual);
  const choices = type === 'boolean' ? ['true', 'false'] : options;
  if (type === 'boolean' || type === 'choice')
    return <Choice {...{ name, description, value, problem, choices, placeholder, onChange }} />;
  return (
    <Field
      label={name}
      value={value}
      onChange={onChange}
      hint={description}
      problem={problem}
      placeholder={placeholder}
      type={type === 'number' ? 'number' : 'text'}
    />
  );
}

interface ChoiceProps extends Omit<InputFieldProps, 'declaration'> {
  readonly description: string;
  readonly choices: readonly string[];
  readonly placeholder: string;
}

function Choice({
  name,
  description,
  value,
  problem,
  choices,
  placeholder,
  onChange,
}: ChoiceProps) {
  const id = useId();
  return (
    <div className={styles.choice}>
      <label htmlFor={id}>
        <bdi>{name}</bdi>
      </label>
      <select
        id={id}
        value={value}
        aria-describedby={`${id}-hint`}
        aria-invalid={problem !== null}
        onChange={({ target }) => onChange(target.value)}
      >
        <option value="">{placeholder === '' ? 'none' : `${placeholder} (default)`}</option>
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
      <span id={`${id}-hint`} className={styles.hint}>
        <bdi>{description}</bdi>
      </span>
      {problem !== null && <bdi className={styles.problem}>{problem}</bdi>}
    </div>
  );
}

const textOf = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);
