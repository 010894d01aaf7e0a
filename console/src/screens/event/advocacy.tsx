import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, readJson, save, unwrap } from '../../api/client';
import { Link } from '../../router';
import { useText } from '../../text';
import { Badge, Deed, Details, Field, Panel } from '../../ui/parts';
import { Empty, Loaded } from '../../ui/states';

/** Plain words first: what happened, why, and what the member can do; then the guideline and the letter. */
export function Advocacy({ id }: { readonly id: string }) {
  const { t } = useText();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Explanation id={id} />
      {open ? (
        <>
          <Guideline id={id} />
          <Letter id={id} />
        </>
      ) : (
        <p>
          <button type="button" className="strong" onClick={() => setOpen(true)}>
            {t('Check the guideline and draft an appeal', 'Comprobar la guía y redactar una apelación')}
          </button>
        </p>
      )}
    </>
  );
}

/** Code system of a reason without a code: the words of the sender. */
const SENDER_WORDS = 'SENDER_WORDS';

function Explanation({ id }: { readonly id: string }) {
  const { t, language } = useText();
  const explanation = useQuery({
    queryKey: ['explain', id, language],
    queryFn: () =>
      unwrap(api.GET('/v1/advocacy/explain/{event_id}', { params: { path: { event_id: id }, query: { language } } })),
  });
  return (
    <Panel title={t('In plain words', 'En palabras sencillas')}>
      <Loaded query={explanation}>
        {({ summary, reasons, appeal_rights: rights, amounts }) => (
          <>
            <p>{summary}</p>
            {reasons.map((reason) => (
              <div key={`${reason.code_system} ${reason.code} ${reason.group ?? ''}`}>
                <h3>
                  {reason.meaning}
                  {reason.code_system !== SENDER_WORDS && ` (${reason.code_system} ${reason.code})`}
                </h3>
                <p>{reason.why_it_happened}</p>
                <p>{reason.what_to_do}</p>
              </div>
            ))}
            {amounts && (
              <Details
                facts={[
                  [t('Charged', 'Cobrado'), amounts.charge],
                  [t('Paid', 'Pagado'), amounts.paid],
                  [t('The member owes', 'Debe el afiliado'), amounts.member_owes],
                ]}
              />
            )}
            <h3>{t('Right to appeal', 'Derecho a apelar')}</h3>
            <p>{rights.text}</p>
            <ol>
              {rights.steps.map((step) => (
                <li key={`${step.program} ${step.level}`}>
                  <strong>{step.name}</strong>: {step.text}
                  {step.file_by ? ` (${step.file_by})` : ''}
                </li>
              ))}
            </ol>
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function Guideline({ id }: { readonly id: string }) {
  const { t } = useText();
  const check = useQuery({
    queryKey: ['guideline', id],
    queryFn: () => unwrap(api.GET('/v1/advocacy/guideline/{event_id}', { params: { path: { event_id: id } } })),
  });
  return (
    <Panel title={t('Guideline check', 'Comprobación de la guía')}>
      <Loaded query={check}>
        {({ verdict, guidelines, limits }) => (
          <>
            <p>
              <Badge>{verdict}</Badge>
            </p>
            {guidelines.length === 0 && (
              <Empty>
                {t('No published guideline covers these codes.', 'Ninguna guía publicada cubre estos códigos.')}
              </Empty>
            )}
            {guidelines.map((guideline) => (
              <div key={guideline.rule_id}>
                <h3>
                  {guideline.title} <Badge>{guideline.verdict}</Badge>
                </h3>
                <ul className="steps">
                  {guideline.criteria.map((criterion) => (
                    <li key={criterion.id} className={criterion.met === null ? '' : criterion.met ? 'good' : 'bad'}>
                      {criterion.text}{' '}
                      <strong>
                        {criterion.met === null
                          ? t('not on record', 'no consta')
                          : criterion.met
                            ? t('met', 'se cumple')
                            : t('not met', 'no se cumple')}
                      </strong>
                      {criterion.evidence.map((evidence) => (
                        <p key={`${evidence.event_id} ${evidence.field}`} className="quiet">
                          <Link to={`/events/${evidence.event_id}`}>{evidence.field}</Link>{' '}
                          {JSON.stringify(evidence.value)}
                        </p>
                      ))}
                    </li>
                  ))}
                </ul>
              </div>
            ))}
            <p className="quiet">{limits}</p>
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function Letter({ id }: { readonly id: string }) {
  const { t } = useText();
  const [notes, setNotes] = useState('');
  const [asked, setAsked] = useState('');
  const body = JSON.stringify(asked === '' ? {} : { notes: asked });
  const post = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
  const recode = useQuery({
    queryKey: ['recode', id, asked],
    queryFn: () => readJson<'RecodeAnswer'>(`/v1/advocacy/recode/${id}`, post),
  });
  const pdf = { ...post, headers: { ...post.headers, accept: 'application/pdf' } };
  return (
    <Panel title={t('Appeal letter', 'Carta de apelación')}>
      <Field label={t('Notes for the letter', 'Notas para la carta')} value={notes} onChange={setNotes} rows={3} />
      <button type="button" onClick={() => setAsked(notes.trim())}>
        {t('Draft again', 'Redactar de nuevo')}
      </button>
      <Loaded query={recode}>
        {({ appeal, suggestions }) => (
          <>
            {suggestions.map((suggestion) => (
              <p key={`${suggestion.from} ${suggestion.to}`}>
                {suggestion.from ?? '—'} → <strong>{suggestion.to}</strong>: {suggestion.reason}
              </p>
            ))}
            {appeal.letter === null ? (
              <Empty>{appeal.note ?? t('There is nothing to appeal.', 'No hay nada que apelar.')}</Empty>
            ) : (
              <>
                <pre>{appeal.letter}</pre>
                <Deed
                  strong
                  label={t('Save the letter as PDF', 'Guardar la carta en PDF')}
                  run={() => save(`/v1/advocacy/recode/${id}?format=pdf`, `appeal-${id}.pdf`, pdf)}
                />
              </>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}
