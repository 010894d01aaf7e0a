import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type Api, api, unwrap } from '../../api/client';
import { Link, usePlace } from '../../router';
import { AskPurpose, statedPurpose } from '../../shell/purpose';
import { useText } from '../../text';
import { Badge, Details, Panel } from '../../ui/parts';
import { Empty, Problem, Skeleton } from '../../ui/states';
import { ThreadList } from './thread-list';
import { asked, TimelineFilters } from './timeline-filters';
import { TimelineList } from './timeline-list';

const PAGE = 200;

export default function MemberScreen({ id }: { readonly id: string }) {
  const [purpose, setPurpose] = useState(statedPurpose);
  return (
    <>
      <h1>{id}</h1>
      {purpose === null ? <AskPurpose onAnswer={setPurpose} /> : <Timeline id={id} purpose={purpose} />}
    </>
  );
}

function Timeline({ id, purpose }: { readonly id: string; readonly purpose: string }) {
  const { t } = useText();
  const { query } = usePlace();
  const where = asked(query);
  const pages = useInfiniteQuery({
    queryKey: ['timeline', id, purpose, where],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET('/v1/members/{id}/timeline', {
          params: {
            path: { id },
            query: {
              ...where,
              purpose,
              limit: PAGE,
              order: 'desc',
              ...(pageParam === undefined ? {} : { cursor: pageParam }),
            },
          },
        }),
      ),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  });
  const first = pages.data?.pages[0];
  const items = useMemo(() => pages.data?.pages.flatMap((page) => page.items) ?? [], [pages.data]);
  return (
    <>
      {first?.member && <Identity member={first.member} others={first.member_ids} />}
      <ThreadList items={items} />
      <Panel
        title={t('Timeline', 'Cronología')}
        actions={
          <span>
            <Link to={`/graph?node=${encodeURIComponent(`member:${id}`)}`}>
              {t('Open in the graph', 'Abrir en el grafo')}
            </Link>
          </span>
        }
      >
        <TimelineFilters />
        {first?.withheld && (
          <p className="note">
            {t(
              `${first.withheld.count} records of this page are withheld (${first.withheld.reason}).`,
              `${first.withheld.count} registros de esta página no se muestran (${first.withheld.reason}).`,
            )}
          </p>
        )}
        {pages.isError ? (
          <Problem error={pages.error} />
        ) : first === undefined ? (
          <Skeleton lines={8} />
        ) : items.length === 0 ? (
          <Empty>
            {t(
              'Nothing is known of this identifier. Check its spelling, or remove a filter.',
              'Nada consta de este identificador. Revise su escritura o quite un filtro.',
            )}
          </Empty>
        ) : (
          <TimelineList
            items={items}
            more={pages.hasNextPage ? () => void pages.fetchNextPage() : null}
            busy={pages.isFetching}
          />
        )}
      </Panel>
    </>
  );
}

function Identity({ member, others }: { readonly member: Api<'Member'>; readonly others: readonly string[] }) {
  const { t } = useText();
  return (
    <Panel title={t('Identity', 'Identidad')} actions={<Badge>{member.status}</Badge>}>
      <Details
        facts={[
          [t('Name', 'Nombre'), `${member.name.given.join(' ')} ${member.name.family ?? ''}`],
          [t('Born', 'Nacimiento'), member.birth_date],
          [t('Identifiers of this person', 'Identificadores'), others.join(', ')],
          [t('Program', 'Programa'), member.program],
        ]}
      />
    </Panel>
  );
}
