/** The dialog of a question that is asked before something ends or is removed. */
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Button } from './button.tsx';
import styles from './confirm.module.css';
import { Problem } from './states.tsx';

export interface QuestionProps {
  readonly title: string;
  /** The effect, in a sentence or two. */
  readonly children: ReactNode;
  /** On the button that acts. */
  readonly act: string;
  readonly onAct: () => Promise<unknown>;
  readonly isDanger?: boolean;
  readonly onClose: () => void;
}

export function Question({
  title,
  children,
  act,
  onAct,
  isDanger = false,
  onClose,
}: QuestionProps) {
  const work = useMutation({ mutationFn: onAct, onSuccess: onClose });
  return (
    <ModalOverlay className={styles.overlay ?? ''} isDismissable isOpen onOpenChange={onClose}>
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
