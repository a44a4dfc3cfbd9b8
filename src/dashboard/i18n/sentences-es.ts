/** What the appliance says to people, in Spanish. */
import { createSay } from './sentences.ts'
import type { Sentences } from './sentences.ts'

export const sentences = {
  // Fields
  'must NOT have fewer than {count} characters': 'Se necesitan al menos {count} caracteres.',
  'must NOT have more than {count} characters': 'Puede tener como máximo {count} caracteres.',
  'must match pattern {pattern}': 'No puede empezar ni terminar con un espacio ni contener caracteres invisibles.',
  'has no visible characters': 'Falta algún carácter visible.',
  'must be an http or https address of at most {count} characters.':
    'Escriba una dirección http o https de {count} caracteres como máximo.',

  // Sign-in and accounts
  'The name or the password is wrong.': 'El nombre o la contraseña no son correctos.',
  'The current password is wrong.': 'La contraseña actual no es correcta.',
  'Your session has ended. Sign in again.': 'Su sesión ha caducado. Inicie sesión de nuevo.',
  'Too many wrong passwords. Try again in {count} minute.':
    'Demasiadas contraseñas incorrectas. Inténtelo de nuevo dentro de {count} minuto.',
  'Too many wrong passwords. Try again in {count} minutes.':
    'Demasiadas contraseñas incorrectas. Inténtelo de nuevo dentro de {count} minutos.',
  'Too many passwords are being compared at once. Try again in a few seconds.':
    'Demasiadas personas están iniciando sesión a la vez. Inténtelo de nuevo dentro de unos segundos.',
  'Too many people are logging in at once. Try again in a few seconds.':
    'Demasiadas personas están iniciando sesión a la vez. Inténtelo de nuevo dentro de unos segundos.',
  'There is an account already. Sign in with it.': 'Ya existe una cuenta. Inicie sesión con ella.',
  ['This is the last administrator who can sign in. Make another owner who can sign in an administrator first, or ' +
    'use the command "stenobox owners" on the appliance.']:
    'Es el último administrador que puede iniciar sesión. Haga primero administrador a otro usuario que pueda iniciar sesión, o use ' +
    'la orden «stenobox owners» en el equipo.',
  ['This name belongs to somebody who signs in at the identity provider. Choose another name; or, to make that ' +
    'person an administrator, use the command "stenobox owners role" on the appliance.']:
    'Este nombre es de alguien que inicia sesión en el proveedor. Elija otro nombre. O haga administrador a esa persona con la orden ' +
    '«stenobox owners role» en el equipo.',
  'The token is missing or wrong. The server prints it when it starts.':
    'El código falta o no es correcto. El servidor lo muestra al arrancar.',
  'Only administrators may do this. Ask one of them.': 'Solo los administradores pueden hacer esto. Consulte a uno de ellos.',
  'There is already an owner with this name.': 'Ya hay un usuario con este nombre.',
  'This owner has transcripts. Delete them first.': 'Este usuario tiene transcripciones. Elimínelas primero.',
  'This owner has live API keys. Revoke them first.': 'Este usuario tiene claves de API activas. Revóquelas primero.',
  'Some data of this owner is still stored, such as an unfinished upload. Delete it, or wait until it expires.':
    'Aún hay datos de este usuario, por ejemplo una subida sin terminar. Elimínelos o espere a que caduquen.',

  // Recordings
  'The appliance has as many jobs waiting as it takes. Try again in a minute; parts that were sent are kept.':
    'La cola está llena. Inténtelo de nuevo dentro de un minuto; lo ya enviado se conserva.',
  'Your jobs have taken your share of the queue; the rest is for other owners. Try again in a minute; parts that were sent are kept.':
    'Su parte de la cola está ocupada. Inténtelo de nuevo dentro de un minuto; lo ya enviado se conserva.',
  'Your open uploads or downloads have taken your share of the free disk; the rest is for other owners. Try again when some are done.':
    'Su parte del espacio libre está ocupada. Inténtelo de nuevo cuando terminen algunas de sus subidas o descargas.',
  'The disk of the appliance is nearly full. Nothing was stored; free some space and try again.':
    'El disco está casi lleno y no se ha guardado nada. Pida a un administrador que libere espacio.',
  'The disk of the appliance is full. Free some space and try again.': 'El disco está lleno. Pida a un administrador que libere espacio.',
  'fileSize: this appliance accepts files up to {count} bytes.': 'El archivo es demasiado grande: se admiten {count} bytes como máximo.',
  'The {count} minutes of recordings a month of the plan "{plan}" are used up. The limit resets at {when}.':
    'Se han agotado los {count} minutos de grabación al mes del plan «{plan}». Se renuevan el {when}.',
  'The {count} requests a day of the plan "{plan}" are used up. The limit resets at {when}.':
    'Se han agotado las {count} peticiones al día del plan «{plan}». Se renuevan el {when}.',
  'The recording is no longer stored. Upload it again.': 'La grabación ya no está guardada. Súbala de nuevo.',
  'The job cannot be retried any more. Upload the recording again.': 'Ya no se puede intentar más veces. Suba la grabación de nuevo.',

  // Transcripts
  'There is no such transcription.': 'Esta transcripción no existe.',
  'There is nothing to undo.': 'No hay nada que deshacer.',
  'This revision is too old and can no longer be undone.': 'Este cambio es demasiado antiguo y ya no se puede deshacer.',
  'Later revisions changed the same text. Undo them before revision {number}.':
    'Otros cambios posteriores afectan al mismo texto. Deshágalos antes que el cambio {number}.',
  'two speakers cannot both be called "{name}". Merge them, or choose another name.':
    'Dos hablantes no pueden llamarse «{name}». Únalos o elija otro nombre.',
  'a segment can have at most {count} words': 'Un pasaje puede tener como máximo {count} palabras.',
  'This transcription has {count} links. Remove one of them first.':
    'Esta transcripción tiene {count} enlaces. Elimine primero uno de ellos.',
  'Too many recordings are being listened to at once. Try again in a few seconds.':
    'Se están escuchando demasiadas grabaciones a la vez. Inténtelo de nuevo dentro de unos segundos.',

  // The appliance
  '{name} is in use for {use}. Install another model for that first.': '{name} está en uso ({use}). Instale primero otro modelo para eso.',
  'Too many models wait already.': 'Ya hay demasiados modelos en espera. Inténtelo más tarde.',
  'The appliance is being stopped.': 'Stenobox se está deteniendo. Inténtelo más tarde.',
  'Another program is using the database of the appliance. Try again in a few seconds.':
    'Otro programa está usando la base de datos. Inténtelo de nuevo dentro de unos segundos.',
  'Something went wrong on our side. Try again. If it happens again, the administrator finds the details in the log under this requestId.':
    'Algo ha fallado en Stenobox. Inténtelo de nuevo. Un administrador encontrará los detalles en el registro del servidor.',

  // Models
  'this is not an archive of models: it does not begin with {name}':
    'No es un archivo de modelos de Stenobox: no empieza por {name}',
  'the archive\'s {name} is damaged, or from another version of Stenobox':
    '{name} está dañado en el archivo o es de otra versión de Stenobox',
  'the archive\'s {name} is damaged': '{name} está dañado en el archivo',
  'the archive is empty': 'El archivo está vacío',
  'the archive is damaged or cut short': 'El archivo está dañado o incompleto',
  'the archive ends before {path}': 'El archivo está incompleto: falta {path}',
  '{path} does not match its checksum in the archive: the archive is damaged':
    'La suma de comprobación de {path} no coincide: el archivo está dañado',
  'the checksum of {name} in the archive differs from the one in the manifest here':
    'La suma de comprobación de {name} en el archivo no es la de la lista de modelos de este equipo',
  'the archive holds the model {name}, which is not in the manifest here':
    'El archivo contiene el modelo {name}, que no está en la lista de modelos de este equipo',
  'the archive\'s {name} has {count} bytes; the manifest here says {wanted}':
    '{name} tiene {count} bytes en el archivo; según la lista de modelos de este equipo deberían ser {wanted}',
  'the disk of {path} has {free} free, and {wanted} are needed; make room and try again':
    'En el disco de {path} hay {free} libres y se necesitan {wanted}; libere espacio e inténtelo de nuevo',
  'the disk of {path} is full; nothing was installed': 'El disco de {path} está lleno; no se ha instalado nada',
  'another `stenobox models` command is writing to {path}; try again when it is done':
    'Se están guardando otros modelos en {path}; inténtelo de nuevo cuando termine',
  'it failed inside the appliance; details are in the log':
    'Algo ha fallado en Stenobox; los detalles están en el registro del servidor',

  // Why speakers were not told apart
  'The speaker model is missing or damaged; the administrator can see more with: stenobox doctor.':
    'El modelo de hablantes falta o está dañado. Un administrador puede ver más con «stenobox doctor».',
  'There was not enough memory to tell the speakers apart.': 'No había memoria suficiente.',
  'The disk was full.': 'El disco estaba lleno.',
  'Telling the speakers apart took too long and was stopped.': 'Tardaba demasiado y se ha detenido.',
  'Telling the speakers apart was interrupted many times at the same point and was stopped.':
    'Se ha interrumpido varias veces en el mismo punto y se ha detenido.',
  'Something went wrong while the speakers were told apart; details are in the log.':
    'Algo ha fallado. Los detalles están en el registro del servidor.',

  // Why a recording could not be transcribed
  'The source could not be fetched: it does not answer, sends an invalid answer, or is far too slow. Try again later.':
    'No se ha podido descargar la grabación: el origen no responde, responde mal o es demasiado lento. Inténtelo más tarde.',
  'The source needs a login, or is not reachable from this network. Make it public, or upload the file.':
    'El origen exige iniciar sesión o no es accesible desde esta red. Hágalo público o suba el archivo.',
  'There is nothing at the address. Check that it opens in a browser.':
    'No hay nada en esa dirección. Compruebe que se abre en un navegador.',
  ['The address is on a network that this appliance may not fetch from, or fetching is turned off. The administrator can allow ' +
    'it with STENOBOX_ALLOW_SOURCES and STENOBOX_OFFLINE.']:
    'Stenobox no puede descargar de la red de esa dirección, o las descargas están desactivadas. Un administrador puede permitirlo ' +
      'con STENOBOX_ALLOW_SOURCES y STENOBOX_OFFLINE.',
  ['No single recording was found at the address. Live streams, playlists, pages of unknown platforms and feeds of more than 8 ' +
    'MiB are not supported.']:
    'En esa dirección no se ha encontrado una sola grabación. No se admiten emisiones en directo, listas de reproducción, páginas ' +
      'de plataformas desconocidas ni canales de más de 8 MiB.',
  'The recording is larger than this appliance accepts (STENOBOX_MAX_MEDIA_BYTES).':
    'La grabación es más grande de lo que admite Stenobox (STENOBOX_MAX_MEDIA_BYTES).',
  'The recording is longer than this appliance accepts.': 'La grabación es más larga de lo que admite Stenobox. Divídala.',
  'The file is not audio or video that can be read. Check that it plays, and upload it again.':
    'El archivo no es de audio ni de vídeo que se pueda leer. Compruebe que se reproduce y súbalo de nuevo.',
  'The file has no sound track.': 'El archivo no tiene pista de sonido.',
  'The sound could not be decoded: the file is damaged or cut off. Upload it again from the original.':
    'No se ha podido leer el audio: el archivo está dañado o incompleto. Suba de nuevo el original.',
  'The speech model is missing or damaged. The administrator can see which with: stenobox doctor':
    'El modelo de transcripción falta o está dañado. Un administrador puede ver cuál con «stenobox doctor».',
  'There was not enough memory for the speech model. Use a smaller model or fewer workers.':
    'No había memoria suficiente para el modelo de transcripción. Un administrador puede elegir un modelo más pequeño o menos procesos.',
  'The disk is full. Free some space and transcribe the file again.':
    'El disco está lleno. Pida a un administrador que libere espacio e inténtelo de nuevo.',
  'Reading the file took too long and was stopped.': 'La lectura del archivo ha tardado demasiado y se ha detenido.',
  'The job was interrupted several times at the same point and was stopped.':
    'El trabajo se ha interrumpido varias veces en el mismo punto y se ha detenido.',
  'Something went wrong inside the appliance. Details are in the log.':
    'Algo ha fallado en Stenobox. Los detalles están en el registro del servidor.'
} satisfies Sentences

export const say = createSay(sentences)
