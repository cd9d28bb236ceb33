/** Asks once before something ends or is removed, and names what that affects. */
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Dialog, DialogTrigger } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Button, type PressProps } from './button.tsx';
import styles from './confirm.module.css';
import { Problem } from './states.tsx';

export interface ConfirmProps {
  /** On the button that asks. */
  readonly label: ReactNode;
  readonly title: string;
  /** The effect, in a sentence or two. */
  readonly children: ReactNode;
  /** On the button that acts. */
  readonly act: string;
  readonly onAct: () => Promise<unknown>;
  readonly kind?: PressProps['kind'];
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  /** The key that asks. */
  readonly pressedBy?: string;
}

export function Confirm({
  label,
  kind = 'plain',
  isDisabled = false,
  pressedBy,
  ...question
}: ConfirmProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button kind={kind} isDisabled={isDisabled} data-press={pressedBy}>
        {label}
      </Button>
      <Question {...question} onClose={() => setOpen(false)} />
    </DialogTrigger>
  );
}

type QuestionProps = Omit<ConfirmProps, 'label' | 'kind' | 'isDisabled' | 'pressedBy'> & {
  readonly onClose: () => void;
};

function Question({ title, children, act, onAct, isDanger = false, onClose }: QuestionProps) {
  const work = useMutation({ mutationFn: onAct, onSuccess: onClose });
  return (
    <ModalOverlay className={styles.overlay ?? ''} isDismissable>
      <Modal className={styles.modal ?? ''}>
        <Dialog className={styles.dialog ?? ''} role="alertdialog">
          <Heading slot="title">{title}</Heading>
          <div className={styles.text}>{children}</div>
          {work.isError && <Problem error={work.error} />}
          <div className={styles.buttons}>
            <Button onPress={onClose}>Keep as it is</Button>
            <Button
              kind={isDanger ? 'danger' : 'main'}
              isDisabled={work.isPending}
              onPress={() => work.mutate()}
            >
              {act}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
