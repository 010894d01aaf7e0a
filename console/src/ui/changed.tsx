import { useState } from 'react';
import { useText } from '../text';
import { Time } from './parts';

interface Revised {
  readonly revision: number;
  readonly history: readonly {
    readonly revision: number;
    readonly action: string;
    readonly to: string;
    readonly at: string;
    readonly by: string;
    readonly note?: string | null;
  }[];
}

/** The revision that the reader has seen. The page reads records again by itself; what the reader decides on stays this one. */
export function useSeen({ revision }: Revised) {
  const [seen, setSeen] = useState(revision);
  return { seen, isBehind: seen < revision, accept: (next = revision) => setSeen(next) };
}

interface ChangedProps {
  readonly record: Revised;
  readonly seen: ReturnType<typeof useSeen>;
}

/** Shows what others did since the reader saw the record, before the reader's own step can be sent. */
export function Changed({ record, seen }: ChangedProps) {
  const { t } = useText();
  if (!seen.isBehind) return null;
  return (
    <div className="note" role="alert">
      <p>{t('This record has changed since you opened it.', 'Este registro cambió desde que lo abrió.')}</p>
      <ul>
        {record.history
          .filter((step) => step.revision > seen.seen)
          .map((step) => (
            <li key={step.revision}>
              <Time at={step.at} /> {step.by}: {step.action} → {step.to} {step.note ?? ''}
            </li>
          ))}
      </ul>
      <button type="button" onClick={() => seen.accept()}>
        {t('I have seen the change; go on', 'He visto el cambio; continuar')}
      </button>
    </div>
  );
}
