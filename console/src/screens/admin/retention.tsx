import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Api, api, unwrap } from '../../api/client';
import { useText } from '../../text';
import { Deed, Details, Panel } from '../../ui/parts';
import { Loaded } from '../../ui/states';

export function Retention() {
  const { t } = useText();
  const [dry, setDry] = useState<Api<'RetentionSweep'> | null>(null);
  const policies = useQuery({ queryKey: ['retention'], queryFn: () => unwrap(api.GET('/v1/retention-policies')) });
  const sweep = async (): Promise<void> =>
    setDry(await unwrap(api.POST('/v1/retention/sweep', { body: { dry_run: true } })));
  return (
    <Panel
      title={t('Retention', 'Conservación')}
      actions={<Deed label={t('Dry run: what would go', 'Simular: qué se eliminaría')} run={sweep} />}
    >
      <Loaded query={policies} lines={2}>
        {(found) => (
          <>
            <p>
              {t(
                `${found.default_years} years by default, ${found.minimum_years} at least.`,
                `${found.default_years} años por defecto, ${found.minimum_years} como mínimo.`,
              )}
            </p>
            <ul>
              {found.policies.map((policy) => (
                <li key={`${policy.event_family ?? ''} ${policy.document_type ?? ''}`}>
                  {policy.event_family ?? policy.document_type}: {policy.years} {t('years', 'años')}
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      {dry && (
        <Details
          facts={[
            [t('Events past their time', 'Eventos vencidos'), dry.events.past_age],
            [t('Events held', 'Eventos retenidos'), dry.events.held],
            [t('Documents past their time', 'Documentos vencidos'), dry.documents.past_age],
            [t('Documents held', 'Documentos retenidos'), dry.documents.held],
          ]}
        />
      )}
    </Panel>
  );
}
