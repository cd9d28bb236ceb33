/** Buttons, and links that look like them. */
import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps } from 'react-aria-components/Button';
import styles from './button.module.css';

type Kind = 'plain' | 'main' | 'danger' | 'quiet';

export interface PressProps extends Omit<ButtonProps, 'children' | 'className'> {
  readonly kind?: Kind;
  readonly children: ReactNode;
}

/** `main` is the one action that most people want; `danger` ends or removes something; `quiet` has no frame. */
export function Button({ kind = 'plain', ...props }: PressProps) {
  return <AriaButton {...props} className={buttonClass(kind)} />;
}

/** The class of a link that looks like a button. */
export const buttonClass = (kind: Kind = 'plain'): string =>
  `${styles.button ?? ''} ${styles[kind] ?? ''}`;
