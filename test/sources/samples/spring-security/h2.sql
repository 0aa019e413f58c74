-- H2 2.3.232; 
;              
CREATE USER IF NOT EXISTS "SA" SALT 'c29ef8d3acfa37ca' HASH '52a63228d373ad4ba9bc10111571f20e7437df5f12cf33c01abad8771724cefe' ADMIN;          
CREATE CACHED TABLE "PUBLIC"."USERS"(
    "USERNAME" VARCHAR_IGNORECASE(50) NOT NULL,
    "PASSWORD" VARCHAR_IGNORECASE(500) NOT NULL,
    "ENABLED" BOOLEAN NOT NULL
);       
ALTER TABLE "PUBLIC"."USERS" ADD CONSTRAINT "PUBLIC"."CONSTRAINT_4" PRIMARY KEY("USERNAME");   
-- 10 +/- SELECT COUNT(*) FROM PUBLIC.USERS;   
INSERT INTO "PUBLIC"."USERS" VALUES
('ada@example.org', '{bcrypt}$2a$04$6IY24PhLP27/Klz95p8FY.quhLeUjUcAa3wXKkMUZm/W7v4mRQ/A.', TRUE),
('o''brien@example.org', '{bcrypt}$2a$04$mXvZ3p0i32.UYJ4/suBjPexaohShGva/ysCZR71lDKQNcOL/SzPdG', TRUE),
(U&'zo\00eb@example.org', '{pbkdf2@SpringSecurity_v5_8}b97f4901a1d3b7149e186655ff97bda6479b71a75fcae2d28df5e382ab97130b8c6284cd8008013ca9a64091fba10249', TRUE),
('grace@example.org', '{argon2@SpringSecurity_v5_8}$argon2id$v=19$m=1024,t=2,p=1$d5yRAO+lyWPL+kxyFvegKw$ZammJ82z4tTpVBXJyl7l0KDXW/FgVl9a+qOYO9tO1qI', TRUE),
('linus@example.org', '{scrypt@SpringSecurity_v5_8}$a0801$x92lnLX7OemmvKA6AiPfZg==$S3TqYoW6ekIumOPLJuuBihBQCPt/tx7KLmFcXgxJvnQ=', TRUE),
('hedy@example.org', '{bcrypt}$2a$04$dEnvhYJYpso/FTueciVC1enog3GuDsl7AIXa0vsESXPDNcQFb3vOm', FALSE),
('alan@example.org', '{SHA-256}{OPEjGKUPjXViQMOpJlJ7NNOpwsfyHSb8BSo0LC3nr7E=}7ef49da198d508905f3964aebd287e16e056030fcd29d5bb308bdcb17156cce4', TRUE),
('edsger@example.org', '{sha256}97309835a6d277e7a82d6c310a65cda0cee9ecdc2f1b79c7209d328e06487a3f25fcd4da8ced4523', TRUE),
('barbara@example.org', '{ldap}{SSHA}LreXNFTLzjj5pTO3u6/4KjzBZ2MZTigBvd6ePQ==', TRUE),
(U&'\041a\0430\0442\044f', '{bcrypt}$2a$04$6/jIMJ74pjOA7zHYILI.eOAsUqe2tgY19nwdlzZEjUC7NvCS29i4W', TRUE);   
CREATE CACHED TABLE "PUBLIC"."AUTHORITIES"(
    "USERNAME" VARCHAR_IGNORECASE(50) NOT NULL,
    "AUTHORITY" VARCHAR_IGNORECASE(50) NOT NULL
); 
-- 11 +/- SELECT COUNT(*) FROM PUBLIC.AUTHORITIES;             
INSERT INTO "PUBLIC"."AUTHORITIES" VALUES
('ada@example.org', 'ROLE_ADMIN'),
('ada@example.org', 'ROLE_USER'),
('o''brien@example.org', 'ROLE_USER'),
(U&'zo\00eb@example.org', 'ROLE_USER'),
('grace@example.org', 'ROLE_USER'),
('linus@example.org', 'ROLE_USER'),
('hedy@example.org', 'ROLE_USER'),
('alan@example.org', 'ROLE_USER'),
('edsger@example.org', 'ROLE_USER'),
('barbara@example.org', 'ROLE_USER'),
(U&'\041a\0430\0442\044f', 'ROLE_USER');
CREATE UNIQUE NULLS DISTINCT INDEX "PUBLIC"."IX_AUTH_USERNAME" ON "PUBLIC"."AUTHORITIES"("USERNAME" NULLS FIRST, "AUTHORITY" NULLS FIRST);     
ALTER TABLE "PUBLIC"."AUTHORITIES" ADD CONSTRAINT "PUBLIC"."FK_AUTHORITIES_USERS" FOREIGN KEY("USERNAME") REFERENCES "PUBLIC"."USERS"("USERNAME") NOCHECK;     
