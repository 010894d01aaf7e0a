import type { Api } from '../../api/client';
import { useText } from '../../text';
import { Table } from '../../ui/list';
import { Badge, Panel } from '../../ui/parts';

/** How a draft would have judged the newest events. */
export function Preview({ preview }: { readonly preview: Api<'RulePreview'> }) {
  const { t } = useText();
  const { SUPPORTS, DOES_NOT_SUPPORT, INSUFFICIENT_INFORMATION } = preview.verdicts;
  const verdicts = [
    [t('Supports', 'Respalda'), SUPPORTS],
    [t('Does not support', 'No respalda'), DOES_NOT_SUPPORT],
    [t('Not enough information', 'Información insuficiente'), INSUFFICIENT_INFORMATION],
  ] as const;
  const silent = preview.criteria.filter(isSilent);
  return (
    <Panel title={t('How the draft would have judged', 'Cómo habría juzgado el borrador')}>
      <p role="status">
        {t(
          `${preview.looked_at} events were looked at; the draft applies to ${preview.judged}.`,
          `Se examinaron ${preview.looked_at} eventos; el borrador se aplica a ${preview.judged}.`,
        )}
      </p>
      <ul className="bars" data-verdicts>
        {verdicts.map(([name, count]) => (
          <li key={name}>
            <span>{name}</span>
            <meter min={0} max={Math.max(1, preview.judged)} value={count} aria-label={name} />
            <span>{count}</span>
          </li>
        ))}
      </ul>
      {silent.length > 0 && (
        <p className="note">
          {t(
            `Never got a value: ${silent.map(({ id }) => id).join(', ')}. Your records do not hold the facts that they ask for.`,
            `Nunca tuvieron valor: ${silent.map(({ id }) => id).join(', ')}. Sus registros no tienen los hechos que piden.`,
          )}
        </p>
      )}
      <Table
        label={t('Criteria', 'Criterios')}
        items={preview.criteria}
        keyOf={(criterion) => criterion.id}
        columns={[
          [t('Criterion', 'Criterio'), (criterion) => `${criterion.id}: ${criterion.text}`],
          [t('Met', 'Cumplido'), (criterion) => criterion.met],
          [t('Not met', 'No cumplido'), (criterion) => criterion.not_met],
          [t('No value', 'Sin valor'), (criterion) => criterion.no_value],
          [
            t('Note', 'Nota'),
            (criterion) => (isSilent(criterion) ? <Badge>{t('never a value', 'nunca un valor')}</Badge> : '—'),
          ],
        ]}
      />
    </Panel>
  );
}

/** A criterion that no event decided, though it applied. */
const isSilent = ({ met, not_met, no_value }: Api<'PreviewedCriterion'>): boolean =>
  met === 0 && not_met === 0 && no_value > 0;
