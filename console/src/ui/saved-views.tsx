import { useState } from 'react';
import { type Api, api, unwrap } from '../api/client';
import { Link, usePlace } from '../router';
import { useText } from '../text';
import { usePages } from './list';
import { Badge, Deed, Field, Form, Panel } from './parts';
import { Problem } from './states';

interface SavedViewsProps {
  readonly screen: Api<'SavedView'>['screen'];
}

/** Names for addresses of this screen: opens, saves, shares and deletes them. The service keeps them. */
export function SavedViews({ screen }: SavedViewsProps) {
  const { t } = useText();
  const pages = usePages(['saved-views', screen], (cursor) =>
    unwrap(
      api.GET('/v1/saved-views', {
        params: { query: { screen, limit: 500, ...(cursor === undefined ? {} : { cursor }) } },
      }),
    ),
  );
  const views = pages.data?.pages.flatMap((page) => page.items) ?? [];
  const remove = (id: string) => async (): Promise<void> => {
    await unwrap(api.DELETE('/v1/saved-views/{id}', { params: { path: { id } } }));
    await pages.refetch();
  };
  return (
    <Panel title={t('Saved views', 'Vistas guardadas')}>
      {pages.isError && <Problem error={pages.error} />}
      {views.length > 0 && (
        <ul className="views">
          {views.map((view) => (
            <li key={view.view_id}>
              <Link to={view.address}>{view.name}</Link> {view.shared && <Badge>{t('shared', 'compartida')}</Badge>}
              {view.own && (
                <Deed
                  label={t(`Delete the view ${view.name}`, `Eliminar la vista ${view.name}`)}
                  run={remove(view.view_id)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      <SaveView onSaved={() => void pages.refetch()} />
    </Panel>
  );
}

function SaveView({ onSaved }: { readonly onSaved: () => void }) {
  const { t } = useText();
  const { path, query } = usePlace();
  const [name, setName] = useState('');
  const [shared, setShared] = useState(false);
  const save = async (): Promise<void> => {
    const filters = query.toString();
    const address = filters === '' ? path : `${path}?${filters}`;
    await unwrap(api.POST('/v1/saved-views', { body: { name: name.trim(), address, shared } }));
    setName('');
    onSaved();
  };
  return (
    <Form submit={t('Save this view', 'Guardar esta vista')} onSubmit={save}>
      <div className="row">
        <Field label={t('Name of the view', 'Nombre de la vista')} value={name} onChange={setName} required />
        <label>
          <input type="checkbox" checked={shared} onChange={(event) => setShared(event.target.checked)} />{' '}
          {t('Share with my organization', 'Compartir con mi organización')}
        </label>
      </div>
    </Form>
  );
}
