/** Buttons, and links that look like them. */
import type { ComponentProps, ReactNode } from 'react';
import styles from './button.module.css';

type Kind = 'plain' | 'main' | 'danger' | 'quiet';

export interface PressProps
  extends Omit<ComponentProps<'button'>, 'children' | 'className' | 'disabled' | 'onClick'> {
  readonly kind?: Kind;
  readonly isDisabled?: boolean;
  readonly onPress?: (() => void) | undefined;
  readonly children: ReactNode;
}

/** `main` is the one action that most people want; `danger` ends or removes something; `quiet` has no frame. */
export function Button({ kind = 'plain', isDisabled = false, onPress, ...props }: PressProps) {
  return (
    <button
      type="button"
      {...props}
      disabled={isDisabled}
      onClick={onPress}
      className={buttonClass(kind)}
    />
  );
}

/** The class of a link that looks like a button. */
export const buttonClass = (kind: Kind = 'plain'): string =>
  `${styles.button ?? ''} ${styles[kind] ?? ''}`;
