import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Api, ApiError, api, isConflict, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { go } from '../../router';
import { useText } from '../../text';
import { Badge, Deed, Field, Panel } from '../../ui/parts';
import { Loaded, Problem } from '../../ui/states';
import { type Draft, draftOf, NEW_DRAFT, ruleOf } from './draft';
import { DraftFields, type Fault } from './draft-fields';
import { Preview } from './preview';

/** A rule and a draft of its next revision; `new` is a draft of a new rule. */
export default function RuleScreen({ id }: { readonly id: string }) {
  const { t } = useText();
  const rule = useQuery({
    queryKey: ['rule', id],
    enabled: id !== 'new',
    queryFn: () => unwrap(api.GET('/v1/rules/{id}', { params: { path: { id } } })),
  });
  if (id === 'new') {
    return (
      <>
        <h1>{t('Draft of a new rule', 'Borrador de una regla')}</h1>
        <Editor draft={NEW_DRAFT} found={null} />
      </>
    );
  }
  return (
    <Loaded query={rule} lines={8}>
      {(found) => (
        <>
          <h1>{found.title}</h1>
          <p className="row">
            <Badge>{found.kind}</Badge>{' '}
            <span className="quiet">{t(`Revision ${found.revision}`, `Revisión ${found.revision}`)}</span>
          </p>
          <Editor draft={draftOf(found)} found={found} />
        </>
      )}
    </Loaded>
  );
}

interface EditorProps {
  readonly draft: Draft;
  /** The newest revision that the page knows; null for a new rule. */
  readonly found: Api<'Rule'> | null;
}

/** The faults of a draft, and an error that is none of the draft's. */
interface Verdict {
  readonly faults: readonly Fault[];
  readonly error: unknown;
  readonly preview: Api<'RulePreview'> | null;
}

const NOTHING: Verdict = { faults: [], error: null, preview: null };

function Editor({ draft: initial, found }: EditorProps) {
  const { t } = useText();
  const { may } = useSigned();
  const [draft, setDraft] = useState(initial);
  const [last, setLast] = useState('50');
  const [verdict, setVerdict] = useState(NOTHING);
  // A tenant's own rule may have the key of a shared one; it begins at revision 1.
  const [seen, setSeen] = useState(found === null || found.shared ? 0 : found.revision);
  /** Sends the draft, and keeps each fault at its place. */
  const sent = async <T,>(send: (rule: ReturnType<typeof ruleOf>) => Promise<T>): Promise<T | null> => {
    try {
      return await send(ruleOf(draft));
    } catch (error) {
      const faults = faultsOf(error);
      setVerdict({ ...NOTHING, faults, error: faults.length > 0 ? null : error });
      return null;
    }
  };
  const tryIt = async (): Promise<void> => {
    const preview = await sent((rule) => unwrap(api.POST('/v1/rules/preview', { body: { rule, last: Number(last) } })));
    if (preview !== null) setVerdict({ ...NOTHING, preview });
  };
  const save = async (): Promise<void> => {
    const saved = await sent(async (rule) => {
      try {
        return await unwrap(api.POST('/v1/rules', { body: { ...rule, revision: seen } }));
      } catch (error) {
        const now = isConflict(error) ? await newestOf(draft.key.trim()) : null;
        if (now === null || now.revision === seen) throw error;
        setVerdict({ ...NOTHING, faults: [{ path: '/rule/key', message: newer(now) }] });
        setSeen(now.revision);
        return null;
      }
    });
    if (saved === null) return;
    setVerdict(NOTHING);
    setSeen(saved.revision);
    go(`/rules/${saved.rule_id}`);
  };
  const newer = (rule: Api<'Rule'>): string =>
    t(
      `Another user has saved revision ${rule.revision} ("${rule.title}") meanwhile. Read it; save again to add yours after it.`,
      `Otra persona guardó la revisión ${rule.revision} («${rule.title}»). Léala; guarde de nuevo para añadir la suya.`,
    );
  return (
    <>
      <Panel title={t('Draft', 'Borrador')}>
        <DraftFields draft={draft} onChange={setDraft} faults={verdict.faults} keyIsFixed={found !== null} />
        {verdict.error !== null && <Problem error={verdict.error} />}
        {may('rules:write') && may('events:read') && (
          <div className="row">
            <Field
              label={t('Newest events to try it on', 'Eventos más recientes para probarla')}
              type="number"
              value={last}
              onChange={setLast}
            />
            <Deed strong label={t('Try the draft', 'Probar el borrador')} run={tryIt} />
            <Deed
              label={
                found === null
                  ? t('Save the rule', 'Guardar la regla')
                  : t('Save the next revision', 'Guardar la revisión')
              }
              run={save}
            />
          </div>
        )}
      </Panel>
      {verdict.preview !== null && <Preview preview={verdict.preview} />}
    </>
  );
}

async function newestOf(key: string): Promise<Api<'Rule'> | null> {
  if (key === '') return null;
  const page = await unwrap(api.GET('/v1/rules', { params: { query: { key } } }));
  return page.items.find((rule) => !rule.shared) ?? null;
}

/** Faults with their places; those of a saved rule begin without `/rule`, which a preview has. */
function faultsOf(error: unknown): readonly Fault[] {
  if (error instanceof SyntaxError) return [{ path: '/rule/criteria', message: error.message }];
  if (!(error instanceof ApiError)) return [];
  return error.faults.map(({ path, message }) => ({
    path: path.startsWith('/rule/') || path === '/last' ? path : `/rule${path}`,
    message,
  }));
}
