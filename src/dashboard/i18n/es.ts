/** Every text of the page, in Spanish. */
import type { Catalogue } from './index.tsx'
import { admin } from './admin/es.ts'
import { library } from './library/es.ts'
import { settings } from './settings/es.ts'
import { transcript } from './transcript/es.ts'

export const es: Catalogue = {
  'app.name': 'Stenobox',
  'app.skip': 'Saltar al contenido',
  'app.menu': 'Menú principal',
  'app.library': 'Biblioteca',
  'app.settings': 'Ajustes',
  'app.administration': 'Administración',
  'app.signOut': 'Cerrar sesión',
  'app.loading': 'Cargando…',
  'app.retry': 'Intentar de nuevo',
  'app.cancel': 'Cancelar',
  'app.close': 'Cerrar',
  'app.save': 'Guardar',
  'app.delete': 'Eliminar',
  'app.undo': 'Deshacer',
  'app.notFound': 'Esta página no existe.',
  'app.broken': 'Esta parte de la página ha fallado.',
  'app.offline': 'El equipo no responde. Se intenta de nuevo…',
  'error.unreachable': 'El equipo no responde. Compruebe que está en marcha.',
  'error.unexpected': 'El equipo respondió algo que esta página no entiende (estado {status}).',
  'notice.saved': 'Guardado',

  ...library,
  ...settings,
  ...transcript,
  ...admin
}
