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
  'app.broken': 'Esta parte de la página ha fallado.',
  'app.offline': 'El equipo no responde. Se intenta de nuevo…',
  'error.unreachable': 'El equipo no responde. Compruebe que está en marcha.',
  'error.unexpected': 'El equipo respondió algo que esta página no entiende (estado {status}).',
  'notice.saved': 'Guardado',

  'ui.copy': 'Copiar',
  'ui.copied': 'Copiado',
  'ui.copyRefused': 'El navegador no permite copiar. Seleccione el texto y cópielo usted.',
  'ui.more': 'Mostrar más',
  'ui.used': '{used}, sin límite',
  'ui.usedOf': '{used} de {limit}',
  'role.owner': 'Propietario',
  'role.administrator': 'Administrador',
  'ui.newPasswordHint': 'Al menos {min} caracteres. Varias palabras se recuerdan mejor que los símbolos.',

  ...library
}
