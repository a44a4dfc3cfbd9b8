/** The texts of every page, of the sign-in and of the library, in Spanish. */
import { library } from './library/es.ts'

export const es = {
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
  'app.broken': 'Algo ha fallado en esta página.',
  'app.offline': 'Stenobox no responde. Intentando conectar de nuevo…',
  'error.unreachable': 'Stenobox no responde. Compruebe que está en marcha.',
  'error.unexpected': 'Esta página no entiende la respuesta de Stenobox (estado {status}). Vuelva a cargarla.',
  'notice.saved': 'Guardado',

  'ui.copy': 'Copiar',
  'ui.copied': 'Copiado',
  'ui.copyRefused': 'El navegador no permite copiar. Seleccione el texto y cópielo manualmente.',
  'ui.more': 'Mostrar más',
  'ui.used': '{used}, sin límite',
  'ui.usedOf': '{used} de {limit}',
  'role.owner': 'Usuario',
  'role.administrator': 'Administrador',

  ...library
}
