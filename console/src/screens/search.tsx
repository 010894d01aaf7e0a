import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../api/client';
import { useSigned } from '../api/session';
import { Link, usePlace } from '../router';
import { useText } from '../text';
import { Badge, Panel, Time } from '../ui/parts';
import { Empty, Loaded } from '../ui/states';

export default function Search() {
  const { t } = useText();
  const { query } = usePlace();
  const { may } = useSigned();
  const text = query.get('q') ?? '';
  return (
    <>
      <h1>{t(`Search: ${text}`, `Búsqueda: ${text}`)}</h1>
      {may('members:read') && <Members text={text} />}
      {may('search:read') && <Words text={text} />}
    </>
  );
}

function Members({ text }: { readonly text: string }) {
  const { t } = useText();
  const found = useQuery({
    queryKey: ['members-found', text],
    queryFn: () => unwrap(api.GET('/v1/members/search', { params: { query: { q: text } } })),
  });
  return (
    <Panel title={t('Members', 'Afiliados')}>
      <p>
        <Link to={`/members/${encodeURIComponent(text)}`}>
          {t(`Timeline of the identifier ${text}`, `Cronología del identificador ${text}`)}
        </Link>
      </p>
      <Loaded query={found} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>
              {t(
                'No member of the directory matches. A member known only from events has a timeline too.',
                'Ningún afiliado del directorio coincide. Quien solo consta en eventos también tiene cronología.',
              )}
            </Empty>
          ) : (
            <ul>
              {items.map(({ member, match }) => (
                <li key={member.member_id}>
                  <Link to={`/members/${encodeURIComponent(member.member_id)}`}>
                    {member.name.given.join(' ')} {member.name.family}
                  </Link>{' '}
                  {member.member_id} <Badge>{match}</Badge>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Words({ text }: { readonly text: string }) {
  const { t } = useText();
  const hits = useQuery({
    queryKey: ['search', text],
    queryFn: () => unwrap(api.POST('/v1/search', { body: { query: text } })),
  });
  return (
    <Panel title={t('Events and documents', 'Eventos y documentos')}>
      <Loaded query={hits}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>
              {t(
                'No record has all of these words. Try fewer, or a code such as CO-50.',
                'Ningún registro contiene todas estas palabras. Pruebe con menos.',
              )}
            </Empty>
          ) : (
            <ul className="timeline">
              {items.map((hit) => (
                <li key={hit.id}>
                  <Link to={`/${hit.kind === 'event' ? 'events' : 'documents'}/${hit.id}`}>
                    {hit.event_type ?? hit.title ?? hit.filename ?? hit.id}
                  </Link>{' '}
                  <Badge>{hit.outcome}</Badge> <Time at={hit.at ?? hit.event_effective_timestamp} />
                  {hit.highlights.map((highlight) => (
                    <p key={`${highlight.pointer} ${highlight.snippet}`} className="quiet">
                      {highlight.snippet}
                    </p>
                  ))}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}
