import { useState } from 'react';
import { save } from '../../api/client';
import { useText } from '../../text';
import { Bars } from '../../ui/bars';
import { Table } from '../../ui/list';
import { Deed, Panel } from '../../ui/parts';
import { Empty } from '../../ui/states';
import { type AnswerTable, barsOf, tableIn } from './answer-table';

/** A query as it was asked. */
export interface Asked {
  readonly query: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** The answer to a query, with its cost. */
export interface Answered {
  readonly asked: Asked;
  readonly data: unknown;
  readonly faults: readonly string[];
  readonly cost: string | null;
}

interface Row {
  readonly n: string;
  readonly cells: readonly string[];
}

type View = 'table' | 'chart' | 'json';

export function Answer({ answered }: { readonly answered: Answered }) {
  const { t } = useText();
  const [chosen, setView] = useState<View>('table');
  const table = tableIn(answered.data);
  const view = table === null ? 'json' : chosen;
  const labels: Readonly<Record<View, string>> = {
    table: t('Table', 'Tabla'),
    chart: t('Chart', 'Gráfico'),
    json: 'JSON',
  };
  return (
    <Panel title={t('Answer', 'Respuesta')} actions={<Downloads asked={answered.asked} />}>
      {answered.faults.map((fault) => (
        <p key={fault} role="alert" className="problem">
          {fault}
        </p>
      ))}
      <div className="row">
        {(['table', 'chart', 'json'] as const).map((one) => (
          <button key={one} type="button" aria-pressed={view === one} onClick={() => setView(one)}>
            {labels[one]}
          </button>
        ))}
        {answered.cost !== null && (
          <span className="quiet">{t(`Cost ${answered.cost}`, `Coste ${answered.cost}`)}</span>
        )}
      </div>
      <div data-answer={view}>
        {view === 'json' || table === null ? (
          <pre>{JSON.stringify(answered.data ?? null, null, 2)}</pre>
        ) : (
          <Shown table={table} view={view} />
        )}
      </div>
    </Panel>
  );
}

function Shown({ table, view }: { readonly table: AnswerTable; readonly view: 'table' | 'chart' }) {
  const { t } = useText();
  const bars = barsOf(table);
  if (view === 'chart')
    return bars.length > 0 ? (
      <Bars items={bars} />
    ) : (
      <Empty>{t('No column of the answer has numbers.', 'Ninguna columna de la respuesta tiene números.')}</Empty>
    );
  return (
    <Table
      label={t('Answer', 'Respuesta')}
      items={table.rows.map((cells, n): Row => ({ n: String(n), cells }))}
      keyOf={({ n }) => n}
      columns={table.columns.map((name, i) => [name, ({ cells }: Row) => cells[i] ?? ''] as const)}
    />
  );
}

function Downloads({ asked }: { readonly asked: Asked }) {
  const as = (accept: string, filename: string) => () =>
    save('/graphql', filename, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify(asked),
    });
  return (
    <span>
      <Deed label="CSV" run={as('text/csv', 'answer.csv')} />{' '}
      <Deed label="NDJSON" run={as('application/x-ndjson', 'answer.ndjson')} />
    </span>
  );
}
