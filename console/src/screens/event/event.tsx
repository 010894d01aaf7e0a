import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Api, api, save, send, unwrap } from '../../api/client';
import { useSigned } from '../../api/session';
import { remembered } from '../../remembered';
import { Link } from '../../router';
import { useText } from '../../text';
import { Badge, Deed, Details, Panel, Time } from '../../ui/parts';
import { Empty, Loaded } from '../../ui/states';
import { CustodyOf } from '../legal/custody';
import { Advocacy } from './advocacy';
import { ProveIt } from './prove-it';

export default function EventScreen({ id }: { readonly id: string }) {
  const { may } = useSigned();
  const event = useQuery({
    queryKey: ['event', id],
    queryFn: () => {
      const purpose = remembered('purpose');
      const query = purpose === null ? {} : { purpose };
      return unwrap(api.GET('/v1/events/{id}', { params: { path: { id }, query } }));
    },
  });
  return (
    <Loaded query={event} lines={8}>
      {(found) => (
        <>
          <h1>{found.event_type}</h1>
          <Advocacy id={id} />
          <Fields event={found} />
          <Raw id={id} />
          <Links id={id} />
          {may('custody:read') && <CustodyOf kind="EVENT" id={id} />}
          <ProveIt id={id} />
        </>
      )}
    </Loaded>
  );
}

function Fields({ event }: { readonly event: Api<'EventRecord'> }) {
  const { t } = useText();
  const member = event.member_id;
  return (
    <Panel title={t('Fields', 'Campos')} actions={<Badge>{event.state}</Badge>}>
      <Details
        facts={[
          [t('Event', 'Evento'), <code key="e">{event.event_id}</code>],
          [
            t('Member', 'Afiliado'),
            member ? (
              <Link key="m" to={`/members/${encodeURIComponent(member)}`}>
                {member}
              </Link>
            ) : (
              '—'
            ),
          ],
          [t('Outcome', 'Resultado'), <Badge key="o">{event.outcome}</Badge>],
          [t('Took effect', 'Fecha de efecto'), <Time key="t" at={event.event_effective_timestamp} />],
          [t('Received', 'Recibido'), <Time key="r" at={event.received_at} />],
          [t('Source', 'Origen'), `${event.source_system} · ${event.source_record_id ?? '—'}`],
          [t('Place in its chain', 'Lugar en la cadena'), event.sequence],
          [t('Entry hash', 'Hash de la entrada'), <code key="h">{event.entry_hash}</code>],
        ]}
      />
      {event.state === 'REDACTED' && (
        <p className="note">
          {t(
            'Fields of this event are redacted. The proof below covers them without showing them.',
            'Hay campos ocultos. La prueba los cubre sin mostrarlos.',
          )}
        </p>
      )}
      <h3>{t('Content', 'Contenido')}</h3>
      <pre>{JSON.stringify(event.payload ?? null, null, 2)}</pre>
    </Panel>
  );
}

const SEGMENT_NAMES: Readonly<Record<string, string>> = {
  ISA: 'Interchange header',
  GS: 'Group header',
  ST: 'Transaction header',
  BHT: 'Beginning',
  CLM: 'Claim',
  CLP: 'Claim payment',
  CAS: 'Adjustment',
  NM1: 'Name',
  N3: 'Street',
  N4: 'City',
  HI: 'Diagnoses',
  SV1: 'Service',
  SV2: 'Institutional service',
  SVC: 'Service payment',
  DTP: 'Date',
  DTM: 'Date',
  REF: 'Reference',
  SBR: 'Subscriber',
  PAT: 'Patient',
  DMG: 'Demographics',
  LX: 'Line',
  AMT: 'Amount',
  QTY: 'Quantity',
  HL: 'Hierarchy',
  PRV: 'Provider',
  BPR: 'Payment',
  TRN: 'Trace',
  PLB: 'Provider adjustment',
  UM: 'Services review',
  HCR: 'Review decision',
  AAA: 'Rejection',
  SE: 'Transaction trailer',
  GE: 'Group trailer',
  IEA: 'Interchange trailer',
  MSH: 'Message header',
  PID: 'Patient',
  PV1: 'Visit',
  OBX: 'Observation',
  EVN: 'Event type',
  IN1: 'Insurance',
  FT1: 'Transaction',
  DG1: 'Diagnosis',
  OBR: 'Order',
};

/** Segments of X12 and HL7 v2, each with its name; other formats as they are. */
function segmentsOf(text: string): readonly string[] | null {
  const pieces = /^(ISA|ST|CLM|CLP|LX|HL|SVC|BPR)\*|~/.test(text)
    ? text.split(/~[\r\n]*/)
    : /^MSH\|/.test(text)
      ? text.split(/[\r\n]+/)
      : null;
  return pieces?.filter((piece) => piece.trim() !== '') ?? null;
}

function Raw({ id }: { readonly id: string }) {
  const { t } = useText();
  const [text, setText] = useState<string | null>(null);
  const load = async (): Promise<void> => setText(await (await send(`/v1/events/${id}/raw`)).text());
  const segments = text === null ? null : segmentsOf(text);
  return (
    <Panel title={t('Raw message', 'Mensaje original')}>
      <p className="quiet">
        {t('Reading the raw bytes is recorded in custody.', 'La lectura de los bytes queda registrada en custodia.')}
      </p>
      {text === null && <Deed label={t('Show the raw message', 'Mostrar el mensaje')} run={load} />}
      {text !== null && (
        <Deed label={t('Save as a file', 'Guardar')} run={() => save(`/v1/events/${id}/raw`, `${id}.txt`)} />
      )}
      {segments ? (
        <ol className="steps">
          {segments.map((segment, i) => {
            const [tag = ''] = segment.split(/[*|]/);
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: segments repeat and never move.
              <li key={i}>
                <strong>{SEGMENT_NAMES[tag.trim()] ?? tag}</strong> <code>{segment}</code>
              </li>
            );
          })}
        </ol>
      ) : (
        text !== null && <pre>{text}</pre>
      )}
    </Panel>
  );
}

function Links({ id }: { readonly id: string }) {
  const { t } = useText();
  const links = useQuery({
    queryKey: ['links', id],
    queryFn: () => unwrap(api.GET('/v1/events/{id}/links', { params: { path: { id } } })),
  });
  return (
    <Panel title={t('Linked events', 'Eventos enlazados')}>
      <Loaded query={links} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>
              {t(
                'No other event names the same claim, authorization or trace.',
                'Ningún otro evento nombra la misma reclamación, autorización o traza.',
              )}
            </Empty>
          ) : (
            <ul>
              {items.map((link) => (
                <li key={`${link.event_id} ${link.kind} ${link.via}`}>
                  {link.kind} <Link to={`/events/${link.event_id}`}>{link.event_type}</Link> ({link.via})
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}
