import { useState } from 'react';
import { remember, remembered } from '../remembered';
import { type Say, useText } from '../text';
import { Field, Form } from '../ui/parts';

const PURPOSES: readonly (readonly [value: string, name: (t: Say) => string])[] = [
  ['TREATMENT', (t) => t('Treatment', 'Tratamiento')],
  ['PAYMENT', (t) => t('Payment', 'Pago')],
  ['OPERATIONS', (t) => t('Operations', 'Operaciones')],
];

/** Asks once a session why the user reads a member's record; each read records the answer in custody. */
export function AskPurpose({ onAnswer }: { readonly onAnswer: (purpose: string) => void }) {
  const { t } = useText();
  const [purpose, setPurpose] = useState('OPERATIONS');
  const answer = async (): Promise<void> => {
    remember('purpose', purpose);
    onAnswer(purpose);
  };
  return (
    <Form submit={t('Continue', 'Continuar')} onSubmit={answer}>
      <p className="note">
        {t(
          'This read is recorded in custody with its purpose. You are asked once a session.',
          'Esta lectura queda en custodia con su finalidad. Se pregunta una vez por sesión.',
        )}
      </p>
      <Field
        label={t('Purpose', 'Finalidad')}
        value={purpose}
        onChange={setPurpose}
        options={PURPOSES.map(([value, name]) => [value, name(t)] as const)}
      />
    </Form>
  );
}

export const statedPurpose = (): string | null => remembered('purpose');
