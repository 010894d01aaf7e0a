import { useId, useRef } from 'react';
import { useText } from '../../text';
import { Field } from '../../ui/parts';
import { type Draft, RULE_KINDS } from './draft';
import { lineOf, located } from './locate';

export interface Fault {
  /** JSON Pointer into `{ rule, last }`. */
  readonly path: string;
  readonly message: string;
}

interface DraftFieldsProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly faults: readonly Fault[];
  /** The key names the rule, so a next revision keeps it. */
  readonly keyIsFixed: boolean;
}

/** The fields of a rule, each with its own faults below it. */
export function DraftFields({ draft, onChange, faults, keyIsFixed }: DraftFieldsProps) {
  const { t } = useText();
  const set = (name: keyof Draft) => (value: string) => onChange({ ...draft, [name]: value });
  const below = (name: string) => <Faults faults={faults.filter(({ path }) => isOf(path, name))} />;
  const line = (name: keyof Draft, label: string, more: { readonly type?: string; readonly hint?: string } = {}) => (
    <div>
      <Field label={label} value={draft[name]} onChange={set(name)} {...more} />
      {below(name)}
    </div>
  );
  const known = Object.keys(draft);
  return (
    <>
      <div className="row">
        {keyIsFixed ? <Key value={draft.key} /> : line('key', t('Key', 'Clave'))}
        {keyIsFixed && below('key')}
        {line('title', t('Title', 'Título'))}
        <div>
          <Field
            label={t('Kind', 'Tipo')}
            value={draft.kind}
            onChange={set('kind')}
            options={RULE_KINDS.map((one) => [one, one] as const)}
          />
          {below('kind')}
        </div>
      </div>
      <div className="row">
        {line('effective_from', t('In force from', 'En vigor desde'), { hint: '2026-01-01' })}
        {line('effective_to', t('In force until', 'En vigor hasta'), {
          hint: t('open by default', 'abierta por defecto'),
        })}
        {line('program', t('Program', 'Programa'))}
        {line('jurisdiction', t('Jurisdiction', 'Jurisdicción'))}
      </div>
      <Field
        label={t('Codes, one a line', 'Códigos, uno por línea')}
        value={draft.codes}
        onChange={set('codes')}
        rows={3}
        hint="HCPCS/E0601, ICD10CM/G47*"
      />
      {below('codes')}
      <Criteria
        text={draft.criteria}
        onChange={set('criteria')}
        faults={faults.filter(({ path }) => isOf(path, 'criteria'))}
      />
      {line('citation', t('Published source', 'Fuente publicada'))}
      <Field label={t('Text of the rule', 'Texto de la regla')} value={draft.body} onChange={set('body')} rows={3} />
      {below('body')}
      <Faults faults={faults.filter(({ path }) => !known.some((name) => isOf(path, name)))} />
    </>
  );
}

const isOf = (path: string, name: string): boolean => `${path}/`.startsWith(`/rule/${name}/`);

function Key({ value }: { readonly value: string }) {
  const { t } = useText();
  return (
    <p>
      {t('Key', 'Clave')}: <code>{value}</code>
    </p>
  );
}

function Faults({ faults }: { readonly faults: readonly Fault[] }) {
  if (faults.length === 0) return null;
  return (
    <ul className="problem" role="alert">
      {faults.map(({ path, message }) => (
        <li key={`${path} ${message}`}>
          <code>{path}</code> {message}
        </li>
      ))}
    </ul>
  );
}

interface CriteriaProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly faults: readonly Fault[];
}

/** The criteria as JSON; a fault leads to the text that it names. */
function Criteria({ text, onChange, faults }: CriteriaProps) {
  const { t } = useText();
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const places = faults.map((fault) => ({ ...fault, found: placeIn(text, fault.path) }));
  const show = (from: number, to: number): void => {
    area.current?.focus();
    area.current?.setSelectionRange(from, to);
  };
  return (
    <div className="field">
      <label htmlFor={id}>{t('Criteria as JSON', 'Criterios en JSON')}</label>
      <textarea
        id={id}
        ref={area}
        value={text}
        rows={14}
        spellCheck={false}
        aria-invalid={faults.length > 0}
        onChange={(event) => onChange(event.target.value)}
      />
      {places.length > 0 && (
        <ul className="problem" role="alert">
          {places.map(({ path, message, found }) => (
            <li key={`${path} ${message}`}>
              {found !== null && (
                <button type="button" onClick={() => show(found.from, found.to)}>
                  {t(`Line ${found.line}, column ${found.column}`, `Línea ${found.line}, columna ${found.column}`)}
                </button>
              )}{' '}
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Where a fault of the criteria is in their text; null while the text is no JSON. */
function placeIn(text: string, path: string) {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  const found = located(text, path.slice('/rule/criteria'.length));
  return { ...found, ...lineOf(text, found.from) };
}
