/** The dialog of a question that is asked before something ends or is removed. */
import { useMutation } from '@tanstack/react-query';
import type { ReactNode, SyntheticEvent } from 'react';
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
  /** Readers of screens learn of a form, not of a warning. */
  readonly hasFields?: boolean;
  /** False while something that it asks for is missing. */
  readonly isReady?: boolean;
  readonly onClose: () => void;
}

export function Question({
  title,
  children,
  act,
  onAct,
  isDanger = false,
  hasFields = false,
  isReady = true,
  onClose,
}: QuestionProps) {
  const work = useMutation({ mutationFn: onAct, onSuccess: onClose });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    work.mutate();
  };
  return (
    <ModalOverlay className={styles.overlay ?? ''} isDismissable isOpen onOpenChange={onClose}>
      <Modal className={styles.modal ?? ''}>
        <Dialog className={styles.frame ?? ''} role={hasFields ? 'dialog' : 'alertdialog'}>
          {/* Enter in a field acts, too. */}
          <form className={styles.dialog} onSubmit={submit}>
            <Heading slot="title">{title}</Heading>
            <div className={styles.text}>{children}</div>
            {work.isError && <Problem error={work.error} />}
            <div className={styles.buttons}>
              <Button onPress={onClose}>Keep as it is</Button>
              <Button
                kind={isDanger ? 'danger' : 'main'}
                isDisabled={work.isPending || !isReady}
                type="submit"
              >
                {act}
              </Button>
            </div>
          </form>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
