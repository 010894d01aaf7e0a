import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { ApiError } from '../api/client';
import { useText } from '../text';
import { Problem } from './states';

/** A time in the reader's zone; UTC on hover. */
export function Time({ at }: { readonly at: string | null | undefined }) {
  const { language } = useText();
  if (!at || Number.isNaN(Date.parse(at))) return <span className="quiet">—</span>;
  const text = new Date(at).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <time dateTime={at} title={`${new Date(at).toISOString()} (UTC)`}>
      {text}
    </time>
  );
}

type Tone = 'good' | 'bad' | 'warn' | 'plain';

const TONES: Readonly<Record<string, Tone>> = {
  ACTIVE: 'good',
  SEALED: 'good',
  RESOLVED: 'good',
  AVAILABLE: 'good',
  HEALTHY: 'good',
  ACCEPTED: 'good',
  SUCCEEDED: 'good',
  CLEAN: 'good',
  APPROVED: 'good',
  FAILED: 'bad',
  CRITICAL: 'bad',
  REJECTED: 'bad',
  REVOKED: 'bad',
  DENIED: 'bad',
  STALE: 'bad',
  SUSPENDED: 'bad',
  EXHAUSTED: 'bad',
  HIGH: 'warn',
  OPEN: 'warn',
  QUARANTINED: 'warn',
  REDACTED: 'warn',
  ROTATING: 'warn',
  DUPLICATE: 'warn',
  REQUESTED: 'warn',
  PAUSED: 'warn',
};

export const Badge = ({ children }: { readonly children: string | null | undefined }) =>
  children ? <span className={`badge ${TONES[children.toUpperCase()] ?? 'plain'}`}>{children}</span> : null;

interface PanelProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Panel({ title, actions, children }: PanelProps) {
  const id = useId();
  return (
    <section className="panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}

type Facts = readonly (readonly [label: string, value: ReactNode])[];

export const Details = ({ facts }: { readonly facts: Facts }) => (
  <dl className="details">
    {facts.map(([label, value]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value ?? '—'}</dd>
      </div>
    ))}
  </dl>
);

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Called when the reader presses Enter in a line of text, or leaves the field. */
  readonly onDone?: () => void;
  readonly type?: string;
  readonly options?: readonly (readonly [value: string, label: string])[];
  readonly required?: boolean;
  readonly hint?: string;
  readonly rows?: number;
}

export function Field({ label, value, onChange, onDone, type = 'text', options, required, hint, rows }: FieldProps) {
  const id = useId();
  const common = {
    id,
    value,
    required,
    ...(hint === undefined ? {} : { 'aria-describedby': `${id}-hint` }),
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
    onBlur: onDone,
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {options ? (
        <select {...common}>
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      ) : rows === undefined ? (
        <input
          {...common}
          type={type}
          autoComplete="off"
          spellCheck={false}
          onKeyDown={(event) => event.key === 'Enter' && onDone?.()}
        />
      ) : (
        <textarea {...common} rows={rows} spellCheck={false} />
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="quiet">
          {hint}
        </p>
      )}
    </div>
  );
}

interface DeedProps {
  readonly label: string;
  readonly run: () => Promise<unknown>;
  readonly strong?: boolean;
  readonly disabled?: boolean;
}

/** A button that works once at a time, and says what went wrong. */
export function Deed({ label, run, strong, disabled }: DeedProps) {
  const [state, setState] = useState<{ busy: boolean; error: unknown }>({ busy: false, error: null });
  const click = async (): Promise<void> => {
    setState({ busy: true, error: null });
    try {
      await run();
      setState({ busy: false, error: null });
    } catch (error) {
      setState({ busy: false, error });
    }
  };
  return (
    <span className="deed">
      <button
        type="button"
        className={strong ? 'strong' : ''}
        disabled={state.busy || disabled}
        onClick={() => void click()}
      >
        {label}
      </button>
      {state.error !== null && <Problem error={state.error} />}
    </span>
  );
}

interface FormProps {
  readonly submit: string;
  readonly onSubmit: () => Promise<unknown>;
  readonly children: ReactNode;
}

/** A form that keeps the typed text when the service refuses it or cannot be reached. */
export function Form({ submit, onSubmit, children }: FormProps) {
  const [state, setState] = useState<{ busy: boolean; error: unknown }>({ busy: false, error: null });
  const send = async (): Promise<void> => {
    setState({ busy: true, error: null });
    try {
      await onSubmit();
      setState({ busy: false, error: null });
    } catch (error) {
      setState({ busy: false, error });
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {children}
      {state.error !== null && <Problem error={state.error} />}
      <button type="submit" className="strong" disabled={state.busy}>
        {submit}
      </button>
    </form>
  );
}

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Dialog({ title, onClose, children }: DialogProps) {
  const { t } = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (dialog.current?.open !== false) return;
    dialog.current.showModal();
    // The browser would focus the button that closes; the reader came to type.
    dialog.current.querySelector<HTMLElement>('input, select, textarea')?.focus();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" onClick={() => dialog.current?.close()}>
          {t('Close', 'Cerrar')}
        </button>
      </header>
      {children}
    </dialog>
  );
}

export const isProblem = (error: unknown, code: string): boolean => error instanceof ApiError && error.code === code;
