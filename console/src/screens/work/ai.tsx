import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client';
import { Link } from '../../router';
import { useText } from '../../text';
import { List, Table, usePages } from '../../ui/list';
import { Badge, Panel, Time } from '../../ui/parts';
import { Empty, Loaded } from '../../ui/states';

const percent = (rate: number): string => `${(rate * 100).toFixed(1)} %`;

export default function AiOversight() {
  const { t } = useText();
  const summary = useQuery({
    queryKey: ['ai-summary'],
    queryFn: () => unwrap(api.GET('/v1/ai-decisions/summary', { params: { query: {} } })),
  });
  const unreviewed = usePages(['ai-unreviewed'], (cursor) =>
    unwrap(
      api.GET('/v1/ai-decisions', {
        params: { query: { adverse: true, unreviewed: true, ...(cursor === undefined ? {} : { cursor }) } },
      }),
    ),
  );
  return (
    <>
      <h1>{t('AI oversight', 'Supervisión de IA')}</h1>
      <Loaded query={summary} lines={6}>
        {({ count, adverse, unreviewed: open, overridden, by_version: versions, override_trend: trend }) => (
          <>
            <ul className="tiles">
              <li>
                <strong>{count}</strong> {t('decisions', 'decisiones')}
              </li>
              <li>
                <strong>{adverse}</strong> {t('adverse', 'adversas')}
              </li>
              <li>
                <strong>{open}</strong> {t('adverse without review', 'adversas sin revisión')}
              </li>
              <li>
                <strong>{overridden}</strong> {t('overridden', 'anuladas')}
                {trend.direction !== 'UNKNOWN' && ` · ${trend.direction}`}
              </li>
            </ul>
            <Panel title={t('By model version', 'Por versión del modelo')}>
              {versions.length === 0 ? (
                <Empty>
                  {t(
                    'No decision is recorded. Systems send them to POST /v1/ai-decisions.',
                    'Ninguna decisión registrada. Los sistemas las envían a POST /v1/ai-decisions.',
                  )}
                </Empty>
              ) : (
                <Table
                  label={t('By model version', 'Por versión del modelo')}
                  items={versions}
                  keyOf={(group) => group.name}
                  columns={[
                    [t('Version', 'Versión'), (group) => group.name],
                    [t('Decisions', 'Decisiones'), (group) => group.count],
                    [t('Adverse', 'Adversas'), (group) => percent(group.adverse_rate)],
                    [t('Overridden', 'Anuladas'), (group) => percent(group.override_rate)],
                  ]}
                />
              )}
            </Panel>
          </>
        )}
      </Loaded>
      <Panel title={t('Adverse decisions without review', 'Decisiones adversas sin revisión')}>
        <List
          label={t('Adverse decisions without review', 'Decisiones adversas sin revisión')}
          pages={unreviewed}
          keyOf={(decision) => decision.decision_id}
          empty={t(
            'Every adverse decision was reviewed by a person.',
            'Todas las decisiones adversas fueron revisadas por una persona.',
          )}
          columns={[
            [t('Decision', 'Decisión'), (decision) => decision.decision_id],
            [t('Model', 'Modelo'), (decision) => `${decision.model.name} ${decision.model.version}`],
            [t('Outcome', 'Resultado'), (decision) => <Badge>{decision.outcome}</Badge>],
            [
              t('Member', 'Afiliado'),
              (decision) =>
                decision.member_id ? (
                  <Link to={`/members/${encodeURIComponent(decision.member_id)}`}>{decision.member_id}</Link>
                ) : (
                  '—'
                ),
            ],
            [t('Decided', 'Decidida'), (decision) => <Time at={decision.decided_at} />],
          ]}
        />
      </Panel>
    </>
  );
}
