/** Spanish, French, Italian and Portuguese. */
import type { Entry } from './lexicon.js'

export const SPANISH: Entry = {
  stopWords: 'yo me mí tú te ti usted ustedes nos nosotros se soy eres es somos son era eran fue fueron ser sido estar estoy está están ' +
    'estaba estaban he has ha hemos han había habían haber hay hacer hace hacen hizo hecho tener tengo tiene tienen tenía puedo puede ' +
    'pueden podía poder debe deben deber quiero quiere quieren querer voy va vamos van ir ido no ni sí si que qué quién cuál cuando ' +
    'cuándo donde dónde como cómo porque por para con sin sobre entre hasta desde hacia a ante bajo tras muy más menos mucho mucha ' +
    'muchos muchas poco pocos todo toda todos todas algo nada nadie alguien cada otro otra otros otras mismo misma aquí allí ahora ' +
    'luego entonces hoy siempre nunca ya aún todavía solo sólo casi bien mal bueno buena buenos nuevo nueva gran grande pequeño uno dos ' +
    'tres cuatro cinco primero primera segundo tercera último próximo cosa cosas vez veces año años día días gente persona personas ' +
    'dijo decir dice ver vio dar dio al le les lo',
  determiners: 'el la los las un una unos unas mi mis tu tus su sus nuestro nuestra nuestros nuestras este esta estos estas ese esa esos ' +
    'esas aquel aquella del de en',
  dangling: 'él ella ellos ellas ello esto eso y pero o así entonces también además este esta estos estas ese esa ' +
    'porque sin luego después ' +
    'su sus lo tampoco aunque',
  pronouns: 'él ella ellos ellas ello',
  nounsFirst: true,
  references: '(?:después de|desde|con|por|en|a|de) (?:eso|esto|ese|esa|ello|él|ella|entonces)',
  leadIns: 'bueno|pues|ahora|vale|sí|no|finalmente|además|en realidad|de hecho',
  connectives: 'y|pero|así que|entonces',
  sounds: 'e+h+m*|e+m+|h+m+',
  asides: 'o sea|digamos|sabes|verdad',
  announcement:
    '(?:(?:quiero|queremos|quisiera|voy a|vamos a|me gustaría)(?: \\w+){0,2}? (?:hablar|contarles?|contar|explicar|' +
    'tratar|pasar|empezar|ver)' +
    '(?:les|te|os)?(?: ahora)?(?: de| del| sobre| a| al| con| por)?|' +
    '\\b(?:primer|primera|segundo|segunda|tercer|tercera|cuarto|cuarta|último|última|siguiente) (?:\\w+ )?' +
    '(?:cosa|tema|punto|parte|pregunta|paso|asunto)\\b.{0,24}?\\b(?:es|son|trata de)|\\bpas(?:amos|emos)(?: \\w+)? (?:a|al))',
  greetings: 'buenos días|buenas tardes|buenas noches|hola|bienvenid\\p{L}+|gracias|muchas gracias|adiós|hasta luego|señoras',
  thanks: 'muchas gracias|gracias por|buena tarde',
  impersonal: 'est[ae] (?:año|semana|mes|mañana|primavera|verano)',
  emphasis: 'nunca siempre debe mejor peor solo cada nadie todos nada sin creo aprender aprendí importante verdad amor esperanza ' +
    'confianza quien si más que',
  weight: 'decidimos decidió decisión acuerdo resultado importante principal conclusión por eso significa cuesta debe plan objetivo ' +
    'problema solución porque'
}

export const FRENCH: Entry = {
  stopWords: 'je me moi tu te toi vous nous on se suis es est sommes êtes sont était étaient été être ai as a avons avez ont avait ' +
    'avaient avoir eu fait faire font faut peut peuvent pouvoir peux doit doivent devoir veux veut veulent vouloir vais va allons vont ' +
    'aller allé ne pas plus moins ni non oui si que qui quoi quel quelle quand où comment pourquoi parce car pour par avec sans sur sous ' +
    'entre jusque depuis vers chez dans à au aux très trop beaucoup peu tout toute tous toutes rien personne quelque chose choses autre ' +
    'autres même mêmes ici là maintenant puis alors aujourd’hui aujourd\'hui toujours jamais déjà encore seulement presque bien mal bon ' +
    'bonne nouveau nouvelle grand grande petit petite un deux trois quatre cinq premier première deuxième troisième dernier prochain ' +
    'fois an ans année années jour jours gens dit dire voir vu donner y en le lui leur c’est c\'est j’ai j\'ai qu’il qu\'il n’est d’un ' +
    'd’une l’on euh ben',
  determiners: 'le la les un une des du de mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs ce cet cette ces chaque en',
  dangling: 'il elle ils elles cela ça ce ceci et mais ou donc alors aussi puis ensuite car cependant pourtant cet cette ces son sa ses ' +
    'leur leurs c’est c\'est c’était c\'était en y',
  pronouns: 'elle ils elles lui eux',
  nounsFirst: true,
  elisions: '[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quelqu',
  references: '(?:après|avec|depuis|dans|pour|par|de|à) (?:ça|cela|ceci|ce|cet|cette|ces|lui|eux|elle|là)|depuis(?=,| lors)',
  leadIns: 'bon|ben|eh bien|oui|non|maintenant|enfin|voilà|en fait|du coup',
  connectives: 'et|mais|donc|alors',
  sounds: 'e+u+h+|h+u+m+|h+m+',
  asides: 'ben|du coup|tu vois|vous voyez|disons|quoi',
  announcement:
    '(?:(?:je veux|je voudrais|j[’\']aimerais|nous allons|je vais|on va|nous voulons)(?: \\w+){0,3}? ' +
    '(?:parler|raconter|expliquer|passer|commencer|aborder|voir)(?: \\w+)??(?: de| du| des| à| au| aux| par| sur)?|' +
    '\\b(?:premier|première|deuxième|second|seconde|troisième|quatrième|dernier|dernière|prochain|prochaine) (?:\\w+ )?' +
    '(?:chose|sujet|point|partie|question|étape)\\b.{0,24}?(?:\\best|c[’\']est|concerne|porte sur)|\\bpassons(?: \\w+)? (?:à|au|aux))',
  greetings: 'bonjour|bonsoir|salut|bienvenue|merci|au revoir|mesdames|chers',
  thanks: 'merci beaucoup|merci (?:de|pour)|bonne (?:soirée|journée)',
  impersonal: 'il (?:y a|y avait|faut|fallait|est .* (?:de|que))|c[’\']est .* (?:de|que|qui)|cette (?:année|semaine)|ce (?:matin|soir|' +
    'mois)',
  emphasis: 'jamais toujours doit mieux meilleur seul chaque personne rien sans crois apprendre appris important vérité amour espoir ' +
    'confiance si plus que',
  weight: 'décidé décision accord résultat important principal conclusion donc signifie coûte doit plan objectif problème solution parce'
}

export const ITALIAN: Entry = {
  stopWords: 'io mi me tu ti te lei noi ci voi vi si sono sei è siamo siete era erano stato stata essere ho hai ha abbiamo avete hanno ' +
    'aveva avevano avere fare fa fanno fatto può possono potere posso deve devono dovere voglio vuole vogliono volere vado va andiamo ' +
    'vanno andare non né no sì se che chi cosa quale quando dove come perché per con senza su sopra sotto tra fra fino verso da molto ' +
    'molta molti molte più meno poco pochi tutto tutta tutti tutte niente nulla nessuno qualcosa qualcuno altro altra altri altre stesso ' +
    'stessa qui qua lì là adesso ora poi oggi sempre mai già ancora solo quasi bene male buono buona nuovo nuova grande piccolo uno due ' +
    'tre quattro cinque primo prima secondo terzo ultimo prossimo cose volta volte anno anni giorno giorni gente persona persone detto ' +
    'dire dice vedere visto dare al allo alla ai agli alle ne lo gli c’è c\'è',
  determiners: 'il lo la i gli le un uno una mio mia miei mie tuo tua suo sua suoi sue nostro nostra nostri nostre loro questo questa ' +
    'questi queste quello quella quelli quelle del dello della dei degli delle di nel nella nei nelle in ogni dal dalla sul sulla',
  dangling: 'lui lei esso essa essi loro ciò questo questa questi queste e ma o così quindi allora anche inoltre poi perché però suo sua ' +
    'dopo infatti altrimenti',
  pronouns: 'lui lei essi esse',
  nounsFirst: true,
  elisions: '[cdlmnstv]|un|dell|all|nell|sull|dall|quest|quell',
  references: '(?:dopo|con|da|per|in) (?:questo|questa|ciò|quello|lui|lei)',
  leadIns: 'bene|beh|sì|no|adesso|ora|infine|insomma|in realtà|cioè',
  connectives: 'e|ma|quindi|allora',
  sounds: 'e+h+m*|u+h+m*|m+h+|h+m+',
  asides: 'cioè|diciamo|sai|insomma',
  announcement:
    '(?:(?:voglio|vorrei|vogliamo|vorremmo)(?: \\w+){0,2}? (?:parlar\\p{L}*|raccontar\\p{L}*|spiegar\\p{L}*|passare|iniziare)' +
    '(?: \\w+)??(?: di| del| dello| della| dei| delle| a| al| alla| con| da)?|' +
    '\\b(?:primo|prima|secondo|seconda|terzo|terza|quarto|quarta|ultimo|ultima|prossimo|prossima) (?:\\w+ )?' +
    '(?:cosa|tema|argomento|punto|parte|domanda|passo)\\b.{0,24}?(?:\\bè|riguarda)|\\bpassiamo(?: \\w+)? (?:a|al|alla))',
  greetings: 'buongiorno|buonasera|buon pomeriggio|ciao|benvenut\\p{L}+|grazie|arrivederci|signore',
  thanks: 'grazie mille|grazie per|buona serata',
  impersonal: 'quest(?:o|a|’|\') ?(?:anno|settimana|mese|mattina|primavera|estate)',
  emphasis: 'mai sempre deve meglio migliore solo ogni nessuno tutti niente senza credo imparare imparato importante verità amore ' +
    'speranza fiducia chi se più di',
  weight: 'deciso decisione accordo risultato importante principale conclusione quindi significa costa deve piano obiettivo problema ' +
    'soluzione'
}

export const PORTUGUESE: Entry = {
  stopWords: 'eu me mim tu te ti você vocês nós nos se sou és é somos são era eram foi foram ser sido estar estou está estão estava ' +
    'estavam tenho tem têm temos tinha tinham ter há fazer faz fazem fez feito pode podem poder posso deve devem dever quero quer querem ' +
    'querer vou vai vamos vão ir ido não nem sim se que quem qual quando onde como porque por para com sem sobre entre até desde a ante ' +
    'muito muita muitos muitas mais menos pouco poucos tudo todo toda todos todas nada ninguém alguém algo cada outro outra outros ' +
    'outras mesmo mesma aqui ali lá agora depois então hoje sempre nunca já ainda só quase bem mal bom boa bons novo nova grande pequeno ' +
    'um dois três quatro cinco primeiro primeira segundo terceiro último próximo coisa coisas vez vezes ano anos dia dias gente pessoa ' +
    'pessoas disse dizer diz ver viu dar deu ao aos à às lhe',
  determiners: 'o a os as um uma uns umas meu minha meus minhas teu tua seu sua seus suas nosso nossa nossos nossas ' +
    'este esta estes estas ' +
    'esse essa esses essas aquele aquela do da dos das de no na nos nas em',
  dangling: 'ele ela eles elas isso isto aquilo e mas ou assim então também além este esta esse essa porque depois seu sua porém contudo',
  pronouns: 'ele ela eles elas',
  nounsFirst: true,
  references: '(?:depois|desde|com|por|em) (?:isso|isto|disso|disto|ele|ela|então)',
  leadIns: 'bom|bem|pois|então|agora|sim|não|finalmente|além disso|na verdade',
  connectives: 'e|mas|então',
  sounds: 'e+h+m*|h+u+m+|h+m+',
  asides: 'né|tipo assim|digamos|sabe',
  announcement:
    '(?:(?:quero|queremos|gostaria de|vou|vamos)(?: \\w+){0,2}? (?:falar|contar|explicar|passar|começar|ver)(?: agora)?' +
    '(?: de| do| da| dos| das| sobre| a| ao| à| com| por)?|' +
    '\\b(?:primeiro|primeira|segundo|segunda|terceiro|terceira|quarto|quarta|último|última|próximo|próxima) (?:\\w+ )?' +
    '(?:coisa|tema|assunto|ponto|parte|pergunta|passo)\\b.{0,24}?(?:\\bé|trata)|\\bpassamos(?: \\w+)? (?:a|ao|à))',
  greetings: 'bom dia|boa tarde|boa noite|olá|bem-vind\\p{L}+|obrigad\\p{L}+|muito obrigad\\p{L}+|adeus|tchau|senhoras',
  thanks: 'muito obrigad\\p{L}*|obrigad\\p{L}+ por',
  impersonal: 'est[ae] (?:ano|semana|mês|manhã|primavera|verão)',
  emphasis: 'nunca sempre deve melhor pior só cada ninguém todos nada sem acredito aprender aprendi importante verdade amor esperança ' +
    'confiança quem se mais que',
  weight: 'decidimos decidiu decisão acordo resultado importante principal conclusão portanto significa custa deve plano objetivo ' +
    'problema solução'
}
