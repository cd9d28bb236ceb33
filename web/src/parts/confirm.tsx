/** Asks once before something ends or is removed, and names what that affects. */
import { type ReactNode, Suspense, useState } from 'react';
import { Button, type PressProps } from './button.tsx';
import { lazyPart } from './lazy-part.ts';
import type { QuestionProps } from './question.tsx';

export interface ConfirmProps extends Omit<QuestionProps, 'onClose'> {
  /** On the button that asks. */
  readonly label: ReactNode;
  readonly kind?: PressProps['kind'];
  readonly isDisabled?: boolean;
  /** The key that asks. */
  readonly pressedBy?: string;
}

/** Most readers ask nothing, so dialogs come when the button is about to be pressed. */
const load = () => import('./question.tsx');
const Question = lazyPart(load, 'Question');

export function Confirm({
  label,
  kind = 'plain',
  isDisabled = false,
  pressedBy,
  ...question
}: ConfirmProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        kind={kind}
        isDisabled={isDisabled}
        data-press={pressedBy}
        aria-expanded={isOpen}
        onPointerEnter={() => void load()}
        onFocus={() => void load()}
        onPress={() => setOpen(true)}
      >
        {label}
      </Button>
      <Suspense>{isOpen && <Question {...question} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}
